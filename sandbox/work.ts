/** The short side of a clip in pixels, which is what the names of resolutions count. */
export type ShortSide = 480 | 720 | 1080;

/** What is to be made for a task, in one vocabulary for all models. File values are as the task holds them. */
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
  readonly startFrame: string | undefined;
  readonly endFrame: string | undefined;
  readonly references: readonly Reference[];
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

/** A reference file. It must be readable, and changes nothing in the picture. */
export interface Reference {
  readonly parameter: string;
  readonly value: string;
  /** Longest that it may be, in seconds; undefined where any length will do. */
  readonly maxSeconds: number | undefined;
}
