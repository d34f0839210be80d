import { log } from '@temporalio/activity';
import { type AssetRef } from '../../contracts/asset';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { jobAhead, pieceRecipe, renderPiece } from '../../media';
import { type Store, wantedFilm, type WantedFilm } from '../../store';
import { type Background } from '../background';
import { withFilmSpec } from './film-spec';
import { type FindFfmpeg } from '../media/put-frame';

/**
 * Least free space for rendering ahead: four times the least free space for paid tasks, so that pieces leave room for
 * paid clips.
 */
const ROOM_BYTES = 4 * 1024 ** 3;

export interface RenderAheadDependencies {
  readonly store: Store;
  readonly ffmpeg: FindFfmpeg;
  /** Runs the rendering. If undefined, nothing is rendered ahead. */
  readonly rendering: Background | undefined;
}

export interface RenderAhead {
  /**
   * Queues the rendering of a clip's piece of the film. The piece is rendered only if it can be rendered alone
   * (`jobAhead`) and the disk has room.
   */
  begin(production: FrozenProduction, shotId: string, clip: AssetRef): Promise<void>;
  /** Stops this worker's rendering for a production. Call this before the film is made, or when it will not be made. */
  end(productionId: string): void;
}

/**
 * Renders pieces of the film at low priority from finished clips while other shots are generated. The film is then
 * ready soon after the last clip. A piece whose rendering fails is rendered with the film.
 */
export function createRenderAhead({ store, ffmpeg, rendering }: RenderAheadDependencies): RenderAhead {
  const underWay = new Map<string, { readonly stop: AbortController; count: number }>();

  async function render(production: FrozenProduction, shotId: string, clip: AssetRef, signal: AbortSignal) {
    signal.throwIfAborted();
    const wanted = filmAround(production, shotId, clip);
    if (wanted === undefined) return;
    await withFilmSpec(store, wanted.film, async (spec) => {
      const job = await jobAhead(spec, wanted.place);
      if (job === undefined || !(await store.space(ROOM_BYTES)).isEnough) return;
      const found = await ffmpeg();
      await store.films
        .pieces(production.id)
        .keep(pieceRecipe(found, job), (part) => renderPiece(found, job, part, { signal, lowPriority: true }));
    });
  }
  const warn = (error: unknown): void => {
    log.warn('a piece of the film cannot be rendered ahead; it is rendered with the film', { reason: String(error) });
  };

  return {
    async begin(production, shotId, clip) {
      if (rendering === undefined || production.assembly === undefined) return;
      const { id } = production;
      try {
        await store.films.pieces(id).open();
      } catch (error) {
        warn(error);
        return;
      }
      const current = underWay.get(id) ?? { stop: new AbortController(), count: 0 };
      underWay.set(id, current);
      current.count += 1;
      const leave = (): void => {
        current.count -= 1;
        if (current.count === 0 && underWay.get(id) === current) underWay.delete(id);
      };
      const isQueued = rendering.start(async (leaving) => {
        const signal = AbortSignal.any([leaving, current.stop.signal]);
        await render(production, shotId, clip, signal).catch((error: unknown) => {
          if (!signal.aborted) warn(error);
        });
        leave();
      });
      if (!isQueued) leave();
    },
    end(productionId) {
      underWay.get(productionId)?.stop.abort();
      underWay.delete(productionId);
    },
  };
}

/**
 * The part of the film around a clip, and the clip's place in it. The clip stands in for its neighbours, which may not
 * exist yet.
 */
function filmAround(
  production: FrozenProduction,
  shotId: string,
  { sha256 }: AssetRef,
): { readonly film: WantedFilm; readonly place: number } | undefined {
  const shots = production.shots.filter(({ model }) => model.output === 'video').map(({ id }) => id);
  const place = shots.indexOf(shotId);
  if (place < 0) return undefined;
  const first = Math.max(0, place - 1);
  const around = shots.slice(first, place + 2).map((shot) => ({ shotId: shot, sha256 }));
  const film = wantedFilm(production, around);
  return film && { film, place: place - first };
}
