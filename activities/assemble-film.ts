import { z } from 'zod';
import { type AssembleFilmInput, type MediaActivities } from '../contracts/activities';
import { AssetRef } from '../contracts/asset';
import { type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { assemble, type FilmSpec } from '../media';
import { hashOf, type Store } from '../store';
import { describeMedia } from './describe-media';
import { failure } from './fail';
import { type FrozenProductions } from './frozen-productions';
import { type FindFfmpeg } from './put-frame';
import { mediaTrouble } from './translate-error';
import { withMediaTries } from './with-media-tries';

/** Raised when assembly makes another film of the same takes, so that films of older versions are made anew. */
const ASSEMBLY_VERSION = 1;

/** Films take long, and bytes that ffmpeg refuses so often stay as they are. */
const TRIES = 5;

export interface AssembleFilmDependencies {
  readonly store: Store;
  readonly productions: FrozenProductions;
  readonly ffmpeg: FindFfmpeg;
}

/**
 * Makes the film of the takes, or finds the one that was made of the same takes in the same way.
 *
 * Heartbeats carry the progress, 0 to 1.
 *
 * @throws MediaFailed, StoreUnavailable (retried), MediaUnusable, FfmpegMissing, AssetMissing (final).
 */
export function createAssembleFilm(dependencies: AssembleFilmDependencies): MediaActivities['assembleFilm'] {
  const { store, productions, ffmpeg } = dependencies;
  return (input) => {
    let progress = 0;
    return withMediaTries(
      TRIES,
      async ({ cancellationSignal }) => {
        const production = await productions.load(input.production);
        const spec = filmSpec(store, production, input);
        const key = filmKey(production, input, spec);
        const made = z.object({ film: AssetRef }).safeParse(await store.records.read(key));
        if (made.success && (await store.assets.has(made.data.film))) return made.data.film;
        await checkClips(store, input);
        const write = async (part: string): Promise<void> => {
          await assemble(await ffmpeg(), spec, part, {
            signal: cancellationSignal,
            onProgress: (fraction) => {
              progress = fraction;
            },
          });
        };
        const film = await store.assets.create('film', write, describeMedia('video')).catch((error: unknown) => {
          throw mediaTrouble(error);
        });
        await store.records.replace(key, { film });
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

/** Everything that the film depends on; the clips by hash, since a store may be moved. */
function filmKey({ assembly }: FrozenProduction, { clips }: AssembleFilmInput, spec: FilmSpec): string {
  const hashes = clips.map(({ asset }) => asset.sha256);
  const clipsWithoutPaths = spec.clips.map((clip) => ({ ...clip, path: null }));
  return `films/${hashOf([ASSEMBLY_VERSION, hashes, { ...spec, clips: clipsWithoutPaths, music: assembly?.music }])}`;
}

function filmSpec(store: Store, production: FrozenProduction, { clips }: AssembleFilmInput): FilmSpec {
  const { assembly, output, title } = production;
  if (assembly === undefined) throw failure('AssetMissing', `production "${production.id}" has no assembly`);
  const shots = new Map(production.shots.map((shot) => [shot.id, shot]));
  return {
    clips: clips.map(({ shotId, asset }, index) => {
      const shot = shots.get(shotId);
      const before = clips[index - 1]?.shotId;
      return {
        path: store.assets.localPath(asset),
        chapter: shotId,
        ...(shot?.caption === undefined ? {} : { caption: shot.caption }),
        continuesPrevious: shot !== undefined && before !== undefined && startsOnLastFrameOf(shot, before),
      };
    }),
    transition: assembly.transition,
    metadataTitle: title,
    subtitles: assembly.subtitles,
    ...(assembly.music === undefined
      ? {}
      : { music: { path: store.assets.localPath(assembly.music.asset), volumeDb: assembly.music.volumeDb } }),
    ...(assembly.title === undefined ? {} : { title: assembly.title }),
    output: {
      ...(output?.width === undefined ? {} : { width: output.width }),
      ...(output?.height === undefined ? {} : { height: output.height }),
      ...(output?.frameRate === undefined ? {} : { frameRate: output.frameRate }),
    },
  };
}

function startsOnLastFrameOf({ files }: FrozenShot, before: string): boolean {
  const start = files['startFrame'];
  return (
    start !== undefined &&
    !Array.isArray(start) &&
    start.kind === 'link' &&
    start.shot === before &&
    start.frame === 'last'
  );
}
