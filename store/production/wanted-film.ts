import { carriedFrame } from '../../contracts/file/frame-links';
import {
  type FrozenAssembly,
  type FrozenCaption,
  type FrozenProduction,
  type FrozenTransition,
} from '../../contracts/render/frozen';
import { musicInFilm } from './film-music';
import { canonicalJson, hashOf } from '../ledger/take-key';

/**
 * Part of a film's hash. Increase it when assembly makes a different film from the same takes, so that existing films
 * are made again.
 */
const ASSEMBLY_VERSION = 1;

export interface FilmClip {
  readonly shotId: string;
  readonly sha256: string;
}

/** Everything that determines a film, independent of the paths of its files. */
export type WantedFilm = FrozenAssembly & {
  readonly clips: readonly {
    readonly chapter: string;
    readonly sha256: string;
    readonly caption?: FrozenCaption;
    /** True if the clip starts on the last frame of the previous clip. */
    readonly continuesPrevious: boolean;
    /**
     * The shot's own transition before the clip. Absent if it equals the film's, if `continuesPrevious`, and for the
     * first clip.
     */
    readonly transition?: FrozenTransition;
  }[];
  readonly metadataTitle: string;
  readonly output: { readonly width?: number; readonly height?: number; readonly frameRate?: number };
};

/**
 * The film that a production makes of these clips; undefined if the production has no assembly.
 *
 * @param clips in the order of the film.
 */
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

/** Identifies a film by everything that determines it. */
export function filmHash(film: WantedFilm): string {
  return hashOf([ASSEMBLY_VERSION, film]);
}
