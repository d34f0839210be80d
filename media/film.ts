import type { FilmPoint, FrozenCaption, FrozenCue, FrozenTransition } from '../contracts/render/frozen';

export type { FilmPoint };

export interface FilmClip {
  readonly path: string;
  /** Name of the chapter that starts with the clip. */
  readonly chapter: string;
  readonly caption?: FrozenCaption;
  /** True if the clip starts on the last frame of the clip before it in the film. */
  readonly continuesPrevious: boolean;
  /** Transition from the previous clip. Default: the film's. */
  readonly transition?: FrozenTransition;
}

/** Music for a part of the film. The points `from` and `to` may name chapters. */
export type FilmCue = Readonly<Omit<FrozenCue, 'asset'>> & { readonly path: string };

export interface FilmSpec {
  readonly clips: readonly FilmClip[];
  /** Default transition. Before a clip that continues the previous one, there is always a cut. */
  readonly transition: FrozenTransition;
  /** One file for the whole film, or cues for parts of it. `volumeDb` is relative to the file's own level. */
  readonly music?: { readonly path: string; readonly volumeDb: number } | readonly FilmCue[];
  /** Drawn over the beginning of the film. */
  readonly title?: { readonly text: string; readonly seconds: number };
  readonly metadataTitle: string;
  /** Whether captions become a subtitle track. */
  readonly subtitles: boolean;
  /** Whether captions are drawn into the picture. */
  readonly captions?: 'burnt';
  /** Language of the subtitle track (BCP 47). Default: none is stated. */
  readonly subtitlesLanguage?: string;
  /** Default: the first clip's values. If only width or height is set, the first clip's aspect ratio is kept. */
  readonly output: { readonly width?: number; readonly height?: number; readonly frameRate?: number };
}

/** The film cannot be made from its input, or differs from its plan. */
export class FilmError extends Error {
  override readonly name = 'FilmError';
}
