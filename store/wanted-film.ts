import { carriedFrame } from '../contracts/frame-links';
import {
  type FrozenAssembly,
  type FrozenCaption,
  type FrozenProduction,
  type FrozenTransition,
} from '../contracts/frozen';
import { musicInFilm } from './film-music';
import { canonicalJson, hashOf } from './take-key';

/**
 * Increased when assembly makes a different film from the same takes, so that films of older versions are made again.
 */
const ASSEMBLY_VERSION = 1;

/** A shot's clip. Clips are in the order of the film. */
export interface FilmClip {
  readonly shotId: string;
  readonly sha256: string;
}

/** Everything that a film depends on. Independent of where its files are. */
export type WantedFilm = FrozenAssembly & {
  readonly clips: readonly {
    readonly chapter: string;
    readonly sha256: string;
    readonly caption?: FrozenCaption;
    /** True if it starts on the last frame of the clip before it. */
    readonly continuesPrevious: boolean;
    /** Present if the transition before it differs from the film's. */
    readonly transition?: FrozenTransition;
  }[];
  readonly metadataTitle: string;
  readonly output: { readonly width?: number; readonly height?: number; readonly frameRate?: number };
};

/** The film that a production wants from these clips; undefined if it has no assembly. */
export function wantedFilm(production: FrozenProduction, clips: readonly FilmClip[]): WantedFilm | undefined {
  const { assembly, output, title: metadataTitle } = production;
  if (assembly === undefined) return undefined;
  const shots = new Map(production.shots.map((shot) => [shot.id, shot]));
  const music = musicInFilm(
    assembly.music,
    production.shots.map(({ id }) => id),
    clips.map(({ shotId }) => shotId),
  );
  return {
    ...assembly,
    ...(music === undefined ? {} : { music }),
    clips: clips.map(({ shotId, sha256 }, index) => {
      const shot = shots.get(shotId);
      const before = clips[index - 1]?.shotId;
      const continuesPrevious = shot !== undefined && before !== undefined && carriedFrame(shot)?.shot === before;
      const own = before === undefined || continuesPrevious ? undefined : shot?.transition;
      const isOwn = own !== undefined && canonicalJson(own) !== canonicalJson(assembly.transition);
      return {
        chapter: shotId,
        sha256,
        ...(shot?.caption === undefined ? {} : { caption: shot.caption }),
        continuesPrevious,
        ...(isOwn ? { transition: own } : {}),
      };
    }),
    metadataTitle,
    output: {
      ...(output?.width === undefined ? {} : { width: output.width }),
      ...(output?.height === undefined ? {} : { height: output.height }),
      ...(output?.frameRate === undefined ? {} : { frameRate: output.frameRate }),
    },
  };
}

/** Folder of the records of films. */
export const FILMS = 'films';

/** Key of a film's record. The same takes assembled in the same way are one film. */
export function filmKey(film: WantedFilm): string {
  return `${FILMS}/${hashOf([ASSEMBLY_VERSION, film])}`;
}
