import { carriedFrame } from '../contracts/frame-links';
import {
  type FrozenAssembly,
  type FrozenCaption,
  type FrozenProduction,
  type FrozenTransition,
} from '../contracts/frozen';
import { musicInFilm } from './film-music';
import { canonicalJson, hashOf } from './take-key';

/** Raised when assembly makes another film of the same takes, so that films of older versions are made anew. */
const ASSEMBLY_VERSION = 1;

/** A shot's clip in the order of the film. */
export interface FilmClip {
  readonly shotId: string;
  readonly sha256: string;
}

/** Everything that a film depends on, and nothing that depends on where its files lie. */
export type WantedFilm = FrozenAssembly & {
  readonly clips: readonly {
    readonly chapter: string;
    readonly sha256: string;
    readonly caption?: FrozenCaption;
    /** It starts on the frame on which the clip before it ends. */
    readonly continuesPrevious: boolean;
    /** Present where the joint before it is not as the whole film's are. */
    readonly transition?: FrozenTransition;
  }[];
  readonly metadataTitle: string;
  readonly output: { readonly width?: number; readonly height?: number; readonly frameRate?: number };
};

/** The film that a production wants of these clips; undefined where it has none to put together. */
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

/** Where it is kept which films were made. */
export const FILMS = 'films';

/** Key of the record that names a film once it is made: the same takes put together in the same way are one film. */
export function filmKey(film: WantedFilm): string {
  return `${FILMS}/${hashOf([ASSEMBLY_VERSION, film])}`;
}
