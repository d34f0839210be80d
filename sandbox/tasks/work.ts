import type { FileKind } from '../../contracts/gateway/models';

/** The short side of a clip in pixels. A resolution such as `720p` is named after its short side. */
export type ShortSide = 480 | 720 | 1080;

/** The work of a task, in terms that are the same for all models. */
export type Work = VideoWork | ImageWork | TextWork;

export interface VideoWork {
  readonly kind: 'video';
  readonly prompt: string;
  readonly durationSeconds: number;
  readonly shortSide: ShortSide;
  /** Width to height, such as `16:9`; or `adaptive`: about the start frame's ratio, or 16:9 without a start frame. */
  readonly aspectRatio: string;
  readonly sound: boolean;
  readonly container: 'mp4' | 'mov';
  readonly colorDepth: '8bit' | '10bit';
  readonly watermark: boolean;
  readonly returnLastFrame: boolean;
  /** Start frame, end frame and references, if given. */
  readonly files: readonly GivenFile[];
  /** The same prompt and seed give the same clip. Without a seed, every task's clip differs. */
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

/** A file given to a task. Reference files must be readable, but do not change the picture. */
export interface GivenFile {
  /** The name in messages, such as `videoUrls.0`. */
  readonly parameter: string;
  readonly kind: FileKind;
  /** An http(s) address, or `sha256:…` for stored bytes. */
  readonly value: string;
  /** Longest allowed duration; undefined for no limit. */
  readonly maxSeconds: number | undefined;
}
