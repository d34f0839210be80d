import { z } from 'zod';

const Level = z.number().min(0).max(255);

/**
 * What a picture looks like, or the mean of a clip's frames, on the scale of 8 bits.
 *
 * `brightness` is the mean of luma (BT.709), `contrast` its standard deviation within a frame; the rest are the
 * channels' means.
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
 * How a picture's colour is changed: `value × gain + shift` for each channel, on the scale of 8 bits.
 *
 * The gain is one for all channels: one of its own for each would tint the lights against the shadows wherever the
 * frame shows something else than the clip it is matched to.
 */
export interface ColorCorrection {
  readonly gain: number;
  readonly shift: { readonly red: number; readonly green: number; readonly blue: number };
}
