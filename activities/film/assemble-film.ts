import { type AssembleFilmInput, type MediaActivities } from '../../contracts/activities';
import { assemble } from '../../media';
import { type Store, wantedFilm } from '../../store';
import { describeMedia } from '../media/describe-media';
import { failure } from '../fail';
import { withFilmSpec } from './film-spec';
import { type FrozenProductions } from '../frozen-productions';
import { type FindFfmpeg } from '../media/put-frame';
import { type RenderAhead } from './render-ahead';
import { mediaTrouble, storeTrouble } from '../translate-error';
import { withMediaTries } from '../media/with-media-tries';

/**
 * Number of refusals by ffmpeg after which the failure is final. Each try takes long, and later tries hardly ever
 * succeed.
 */
const TRIES = 5;

export interface AssembleFilmDependencies {
  readonly store: Store;
  readonly productions: FrozenProductions;
  readonly ffmpeg: FindFfmpeg;
  readonly renderAhead: Pick<RenderAhead, 'end'>;
}

/**
 * Makes the activity that assembles the film from the takes, with the pieces that were rendered ahead. It returns an
 * existing film if that film was made from the same takes in the same way.
 *
 * Heartbeats carry the progress, 0 to 1.
 *
 * @throws MediaFailed, StoreUnavailable (retried), MediaUnusable, OutputUnusable, FfmpegMissing, AssetMissing (final).
 */
export function createAssembleFilm(dependencies: AssembleFilmDependencies): MediaActivities['assembleFilm'] {
  const { store, productions, ffmpeg, renderAhead } = dependencies;
  return (input) => {
    let progress = 0;
    return withMediaTries(
      TRIES,
      async ({ cancellationSignal }, refusals) => {
        const production = await productions.load(input.production);
        const clips = input.clips.map(({ shotId, asset }) => ({ shotId, sha256: asset.sha256 }));
        const wanted = wantedFilm(production, clips);
        if (wanted === undefined) throw failure('AssetMissing', `production "${production.id}" has no assembly`);
        const made = await store.films.made(wanted);
        if (made !== undefined) return made;
        await checkClips(store, input);
        renderAhead.end(production.id);
        const pieces = store.films.pieces(production.id);
        // ffmpeg may have refused a piece that was rendered ahead, so this try removes all such pieces.
        if (refusals > 0) {
          await pieces.close().catch((error: unknown) => {
            throw storeTrouble(error);
          });
        }
        const write = async (part: string): Promise<void> => {
          const found = await ffmpeg();
          await withFilmSpec(store, wanted, (spec) =>
            assemble(found, spec, part, {
              signal: cancellationSignal,
              linkPiece: pieces.link,
              onProgress: (fraction) => {
                progress = fraction;
              },
            }),
          );
        };
        const film = await store.assets.create('film', write, describeMedia('video')).catch((error: unknown) => {
          throw mediaTrouble(error);
        });
        await store.films.note(wanted, film);
        return film;
      },
      () => progress,
    );
  };
}

async function checkClips(store: Store, { clips }: AssembleFilmInput): Promise<void> {
  for (const { shotId, asset } of clips) {
    if (await store.assets.has(asset)) continue;
    throw failure(
      'AssetMissing',
      `the clip of ${shotId}, ${asset.sha256}, is not in the store; render again to collect it`,
    );
  }
}
