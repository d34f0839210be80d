export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Largest short side at which a scene is painted, in pixels. A frame then takes 2 to 3 ms. */
const SCENE_SHORT_SIDE = 400;

/** What `adaptive` comes to where no start frame is given. */
export const DEFAULT_ASPECT_RATIO = '16:9';

/** Proportions that other sizes are taken for when they are nearly the same. */
const STANDARD_RATIOS = [16 / 9, 9 / 16, 1, 4 / 3, 3 / 4, 21 / 9];

/** A frame of 854 × 480 stands for 16:9: even widths cannot hit every proportion. */
const SAME_RATIO_TOLERANCE = 0.01;

/** The widest and tallest clip that `adaptive` makes, as long side to short side. */
const MAX_RATIO = 3;

/** The size in pixels whose short side is `shortSide`. Both sides are even, as 4:2:0 video needs. */
export function sizeOf(aspectRatio: string, shortSide: number): Size {
  const [width = 16, height = 9] = aspectRatio.split(':').map(Number);
  return fit(width / height, shortSide);
}

/** The size of a clip that keeps the proportions of a frame. */
export function sizeLike(frame: Size, shortSide: number): Size {
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

/** The size at which a scene is painted before it is scaled up to a clip: skies and mist lose nothing by it. */
export function sceneSize({ width, height }: Size): Size {
  const divisor = Math.ceil(Math.min(width, height) / SCENE_SHORT_SIDE);
  return { width: even(width / divisor), height: even(height / divisor) };
}
