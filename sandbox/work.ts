import type { FileKind } from '../contracts/models';

/** The short side of a clip in pixels, which is what the names of resolutions count. */
export type ShortSide = 480 | 720 | 1080;

/** What is to be made for a task, in one vocabulary for all models. */
export type Work = VideoWork | ImageWork | TextWork;

export interface VideoWork {
  readonly kind: 'video';
  readonly prompt: string;
  readonly durationSeconds: number;
  readonly shortSide: ShortSide;
  /** Width to height, as `16:9`; or `adaptive`, the start frame's own. */
  readonly aspectRatio: string;
  readonly sound: boolean;
  readonly container: 'mp4' | 'mov';
  readonly colorDepth: '8bit' | '10bit';
  readonly watermark: boolean;
  readonly returnLastFrame: boolean;
  /** Start frame, end frame and references, as far as they are given. */
  readonly files: readonly GivenFile[];
  /** The same prompt and seed make the same clip; without one every task's clip is its own. */
  readonly seed: number | undefined;
}

export interface ImageWork {
  readonly kind: 'image';
  readonly prompt: string;
  readonly width: number;
  readonly height: number;
}

export interface TextWork {
  readonly kind: 'text';
  readonly prompt: string;
}

/** A file that a task was given. References must be readable; they change nothing in the picture. */
export interface GivenFile {
  /** As a message names it: `videoUrls.0`. */
  readonly parameter: string;
  readonly kind: FileKind;
  /** An http(s) address, or `sha256:…` for bytes that the sandbox holds. */
  readonly value: string;
  /** Longest that it may be; undefined where any length will do. */
  readonly maxSeconds: number | undefined;
}
