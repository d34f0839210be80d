import { z } from 'zod';

const Level = z.number().min(0).max(255);

/**
 * Color measures of a picture, or their means over a clip's frames, on an 8-bit scale.
 *
 * `brightness` is mean luma (BT.709), `contrast` its standard deviation within a frame. The rest are channel means.
 */
export const ColorMeasures = z.object({
  brightness: Level,
  contrast: Level,
  red: Level,
  green: Level,
  blue: Level,
});
export type ColorMeasures = z.infer<typeof ColorMeasures>;

/**
 * A color change: `value × gain + shift` for each channel, on an 8-bit scale.
 *
 * All channels share one gain. With separate gains, lights and shadows would get different tints if the frame shows
 * other content than the clip that it is matched to.
 */
export interface ColorCorrection {
  readonly gain: number;
  readonly shift: { readonly red: number; readonly green: number; readonly blue: number };
}
