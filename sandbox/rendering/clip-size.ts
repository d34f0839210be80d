import type { MediaInfo } from '../../media/probe';
import type { VideoWork } from '../tasks/work';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Largest short side of a painted scene, in pixels. A frame then takes 2 to 3 ms to paint. */
const SCENE_SHORT_SIDE = 400;

/** The aspect ratio of `adaptive` if there is no start frame. */
const DEFAULT_ASPECT_RATIO = '16:9';

/** A frame whose ratio is nearly one of these is treated as having exactly that ratio. */
const STANDARD_RATIOS = [16 / 9, 9 / 16, 1, 4 / 3, 3 / 4, 21 / 9];

/**
 * Relative difference below which ratios count as equal. Even widths cannot match every ratio, so 854 × 480 counts as
 * 16:9.
 */
const SAME_RATIO_TOLERANCE = 0.01;

/** Largest ratio of the long to the short side for `adaptive`. */
const MAX_RATIO = 3;

/** The size of a task's clip, in pixels. Only `adaptive` uses the start frame's shape. */
export function clipSize(
  { aspectRatio, shortSide }: Pick<VideoWork, 'aspectRatio' | 'shortSide'>,
  startFrame: Pick<MediaInfo, 'width' | 'height'> | undefined,
): Size {
  if (aspectRatio !== 'adaptive') return sizeOf(aspectRatio, shortSide);
  if (!startFrame?.width || !startFrame.height) return sizeOf(DEFAULT_ASPECT_RATIO, shortSide);
  return sizeLike({ width: startFrame.width, height: startFrame.height }, shortSide);
}

/** The clip size with this aspect ratio and short side, in pixels. Both sides are even, as 4:2:0 video needs. */
export function sizeOf(aspectRatio: string, shortSide: number): Size {
  const [width = 16, height = 9] = aspectRatio.split(':').map(Number);
  return fit(width / height, shortSide);
}

function sizeLike(frame: Size, shortSide: number): Size {
  const ratio = frame.width / frame.height;
  const standard = STANDARD_RATIOS.find((known) => Math.abs(ratio / known - 1) < SAME_RATIO_TOLERANCE);
  return fit(standard ?? Math.min(MAX_RATIO, Math.max(1 / MAX_RATIO, ratio)), shortSide);
}

function fit(ratio: number, shortSide: number): Size {
  return ratio >= 1
    ? { width: even(shortSide * ratio), height: even(shortSide) }
    : { width: even(shortSide), height: even(shortSide / ratio) };
}

function even(pixels: number): number {
  return 2 * Math.round(pixels / 2);
}

/** The size at which a scene is painted. ffmpeg scales it up to the clip's size; soft shapes lose no detail. */
export function sceneSize({ width, height }: Size): Size {
  const divisor = Math.ceil(Math.min(width, height) / SCENE_SHORT_SIDE);
  return { width: even(width / divisor), height: even(height / divisor) };
}
