import type { FilmPoint, FrozenCaption, FrozenCue, FrozenTransition } from '../contracts/frozen';

export type { FilmPoint };

/** One clip of a film, in its order. */
export interface FilmClip {
  readonly path: string;
  /** Name of the chapter that starts with the clip. */
  readonly chapter: string;
  readonly caption?: FrozenCaption;
  /** It starts on the last frame of the clip before it in the film. */
  readonly continuesPrevious: boolean;
  /** From the clip before it. Default: the film's. */
  readonly transition?: FrozenTransition;
}

/** Music in a place of its own, which may be named by chapters. */
export type FilmCue = Readonly<Omit<FrozenCue, 'asset'>> & { readonly path: string };

/** What a film is made of. */
export interface FilmSpec {
  readonly clips: readonly FilmClip[];
  /** At a join where the later clip continues the earlier one there is always a cut. */
  readonly transition: FrozenTransition;
  /** For the whole film, or several in their places. `volumeDb` is relative to the file's own level. */
  readonly music?: { readonly path: string; readonly volumeDb: number } | readonly FilmCue[];
  /** Drawn over the beginning of the film. */
  readonly title?: { readonly text: string; readonly seconds: number };
  readonly metadataTitle: string;
  /** Whether captions become a subtitle track. */
  readonly subtitles: boolean;
  /** Whether captions are drawn into the picture. */
  readonly captions?: 'burnt';
  /** Of the subtitle track, by BCP 47. Default: it says none. */
  readonly subtitlesLanguage?: string;
  /** What is absent is taken from the first clip. */
  readonly output: { readonly width?: number; readonly height?: number; readonly frameRate?: number };
}

/** The film cannot be made of what it was given, or is not as it was planned. */
export class FilmError extends Error {
  override readonly name = 'FilmError';
}
