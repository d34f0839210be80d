import { carriedFrame } from '../contracts/frame-links';
import { type FrozenAssembly, type FrozenProduction } from '../contracts/frozen';
import { hashOf } from './take-key';

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
    readonly caption?: string;
    /** It starts on the frame on which the clip before it ends. */
    readonly continuesPrevious: boolean;
  }[];
  readonly metadataTitle: string;
  readonly output: { readonly width?: number; readonly height?: number; readonly frameRate?: number };
};

/** The film that a production wants of these clips; undefined where it has none to put together. */
export function wantedFilm(production: FrozenProduction, clips: readonly FilmClip[]): WantedFilm | undefined {
  const { assembly, output, title: metadataTitle } = production;
  if (assembly === undefined) return undefined;
  const shots = new Map(production.shots.map((shot) => [shot.id, shot]));
  return {
    ...assembly,
    clips: clips.map(({ shotId, sha256 }, index) => {
      const shot = shots.get(shotId);
      const before = clips[index - 1]?.shotId;
      return {
        chapter: shotId,
        sha256,
        ...(shot?.caption === undefined ? {} : { caption: shot.caption }),
        continuesPrevious: shot !== undefined && before !== undefined && carriedFrame(shot)?.shot === before,
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
