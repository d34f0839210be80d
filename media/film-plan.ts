import type { FilmSpec } from './film';
import type { MediaInfo } from './probe';

/** Frame rate of a film whose first clip has only one frame. */
const FALLBACK_FRAME_RATE = 24;

/** A higher frame rate comes from odd timestamps, not from motion. Every browser plays films of this rate. */
const HIGHEST_FRAME_RATE = 120;

/** Size and rate of all frames of the film. */
export interface FilmFormat {
  /** Width and height are even, as the pixel format 4:2:0 requires. */
  readonly width: number;
  readonly height: number;
  readonly frameRate: FrameRate;
}

/** A fraction, since 30000/1001 has no exact decimal. */
export interface FrameRate {
  readonly numerator: number;
  readonly denominator: number;
}

export interface Source {
  readonly path: string;
  readonly info: MediaInfo;
}

/**
 * Consecutive frames of one clip.
 *
 * A piece ends with the frames in which the next clip fades in. The next piece starts after these frames, so the pieces
 * can be concatenated.
 */
export interface Piece {
  readonly source: Source;
  /** The clip that fades in at the end; undefined if none does. */
  readonly next: Source | undefined;
  /** Position of the piece's first frame in the film, from 0. */
  readonly filmFrame: number;
  /** How many of the clip's first frames the previous piece already showed. */
  readonly skippedFrames: number;
  readonly frames: number;
  /** Number of frames in which the next clip fades in; 0 if none does. */
  readonly fadeFrames: number;
  /** Position in the film, from 0, of the first frame in which the clip is visible. */
  readonly shotFrame: number;
}

export interface FilmPlan {
  readonly format: FilmFormat;
  readonly pieces: readonly Piece[];
  readonly frames: number;
}

/**
 * Places the clips in the film. Counts in frames, so that no rounding errors add up.
 *
 * The film is as long as its clips, minus one frame at each clip that continues the previous one, minus the crossfades.
 * A crossfade takes at most half of the shorter of its two clips, so crossfades never overlap.
 */
export function planFilm(spec: FilmSpec, sources: readonly Source[]): FilmPlan {
  const format = filmFormat(spec, sources[0]?.info);
  const lengths = sources.map(({ info }, index) => {
    const frames = Math.max(1, Math.round(toFrames(info.videoDurationSeconds ?? 0, format.frameRate)));
    return frames > 1 && spec.clips[index + 1]?.continuesPrevious ? frames - 1 : frames;
  });
  const fades = lengths.map((length, index) => {
    const next = lengths[index + 1];
    const transition = spec.clips[index + 1]?.transition ?? spec.transition;
    if (transition.kind === 'cut' || next === undefined || spec.clips[index + 1]?.continuesPrevious) return 0;
    const asked = Math.round(toFrames(transition.seconds, format.frameRate));
    return Math.min(asked, Math.floor(Math.min(length, next) / 2));
  });

  const pieces: Piece[] = [];
  let filmFrame = 0;
  for (const [index, source] of sources.entries()) {
    const skippedFrames = fades[index - 1] ?? 0;
    const fadeFrames = fades[index] ?? 0;
    const frames = (lengths[index] ?? 0) - skippedFrames;
    pieces.push({
      source,
      next: fadeFrames > 0 ? sources[index + 1] : undefined,
      filmFrame,
      shotFrame: filmFrame - skippedFrames,
      skippedFrames,
      frames,
      fadeFrames,
    });
    filmFrame += frames;
  }
  return { format, pieces, frames: filmFrame };
}

export function toSeconds(frames: number, { numerator, denominator }: FrameRate): number {
  return (frames * denominator) / numerator;
}

function toFrames(seconds: number, { numerator, denominator }: FrameRate): number {
  return (seconds * numerator) / denominator;
}

function filmFormat({ output }: FilmSpec, first: MediaInfo | undefined): FilmFormat {
  const width = first?.width ?? 1280;
  const height = first?.height ?? 720;
  return {
    width: even(output.width ?? (width * (output.height ?? height)) / height),
    height: even(output.height ?? (height * (output.width ?? width)) / width),
    frameRate: toFraction(Math.min(output.frameRate ?? first?.frameRate ?? FALLBACK_FRAME_RATE, HIGHEST_FRAME_RATE)),
  };
}

function even(pixels: number): number {
  return Math.max(2, Math.round(pixels / 2) * 2);
}

/** Maps 23.976 to 24000/1001, 29.97 to 30000/1001, and so on. Other rates are rounded to a thousandth. */
function toFraction(frameRate: number): FrameRate {
  const whole = Math.round(frameRate);
  if (Math.abs(frameRate - whole) < 0.0005) return { numerator: whole, denominator: 1 };
  if (Math.abs((frameRate * 1001) / 1000 - whole) < 0.005) return { numerator: whole * 1000, denominator: 1001 };
  return { numerator: Math.round(frameRate * 1000), denominator: 1000 };
}
