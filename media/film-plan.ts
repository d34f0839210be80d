import type { FilmSpec } from './film';
import type { MediaInfo } from './probe';

/** Frame rate of a film whose first clip has but one frame. */
const FALLBACK_FRAME_RATE = 24;

/** Frame rates above this are a clip's odd timestamps, not its motion; every browser plays up to it. */
const HIGHEST_FRAME_RATE = 120;

/** What every frame of the film has in common. */
export interface FilmFormat {
  /** Even, as 4:2:0 needs it. */
  readonly width: number;
  readonly height: number;
  readonly frameRate: FrameRate;
}

/** A fraction, since 30000/1001 has no exact decimal. */
export interface FrameRate {
  readonly numerator: number;
  readonly denominator: number;
}

/** A clip and what was found in it. */
export interface Source {
  readonly path: string;
  readonly info: MediaInfo;
}

/**
 * A run of frames of one clip. It ends with the frames over which the next clip fades in; the next piece starts after
 * those, so that pieces only have to be put one after the other.
 */
export interface Piece {
  readonly source: Source;
  /** The clip that fades in at the end; undefined at a cut. */
  readonly next: Source | undefined;
  /** First frame of the film that is in the piece. */
  readonly filmFrame: number;
  /** Frames of the clip that the piece before has shown. */
  readonly skippedFrames: number;
  readonly frames: number;
  /** How many of these the next clip fades in over; 0 at a cut. */
  readonly fadeFrames: number;
  /** First frame of the film in which anything of the clip is seen. */
  readonly shotFrame: number;
}

export interface FilmPlan {
  readonly format: FilmFormat;
  readonly pieces: readonly Piece[];
  readonly frames: number;
}

/**
 * Lays the clips out, counted in frames so that nothing drifts.
 *
 * The film is as long as its clips, less one frame at each join to a clip that continues the one before, less the
 * crossfades. A crossfade takes at most half of the shorter of its two clips, so that two never overlap.
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

/** Finds 24000/1001, 30000/1001 and their like behind 23.976 and 29.97; others are kept to a thousandth. */
function toFraction(frameRate: number): FrameRate {
  const whole = Math.round(frameRate);
  if (Math.abs(frameRate - whole) < 0.0005) return { numerator: whole, denominator: 1 };
  if (Math.abs((frameRate * 1001) / 1000 - whole) < 0.005) return { numerator: whole * 1000, denominator: 1001 };
  return { numerator: Math.round(frameRate * 1000), denominator: 1000 };
}
