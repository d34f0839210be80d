import { type LinkedFrame, type TaskInput } from '../../contracts/activities';
import { type AssetRef } from '../../contracts/asset';
import { type ColorCorrection, type ColorMeasures } from '../../contracts/render/color';
import { anchorLink } from '../../contracts/file/frame-links';
import { type FrameLink, type FrozenShot } from '../../contracts/render/frozen';
import { correctColor, measureColor } from '../../media';
import { type Store } from '../../store';
import { failure } from '../fail';
import { type FindFfmpeg, putFrame } from '../media/put-frame';
import { linkedFrame } from './task-parameters';
import { mediaTrouble } from '../translate-error';

/** Increase this when the same correction gives other pixels, so that older frames are not reused. */
const CORRECTION_VERSION = 1;

/**
 * Limit of the contrast factor and of its inverse. A larger factor means that the clips show different scenes; it would
 * also amplify noise.
 */
const MOST_GAIN = 2;

/** Limit of the change of a channel's mean, on the scale from 0 to 255. A correction must not turn night into day. */
const MOST_SHIFT = 64;

/** Adds the corrected frame to each linked frame whose link has an `anchor`. */
export type AnchorFrames = (input: TaskInput, shot: FrozenShot, signal: AbortSignal) => Promise<readonly LinkedFrame[]>;

/**
 * Makes the function that removes a chain's color drift from a linked frame. It corrects the frame by the difference
 * between the frame's clip and the chain's first clip, so color changes within a clip stay.
 *
 * A corrected frame is recorded under a hash of its inputs, so a resent take sends the same bytes.
 *
 * @throws MediaFailed, StoreUnavailable (both retried); OutputUnusable, FfmpegMissing, AssetMissing (all final).
 */
export function createAnchorFrames(store: Store, ffmpeg: FindFfmpeg): AnchorFrames {
  return async (input, shot, signal) => {
    const anchored = Object.values(shot.files)
      .flat()
      .filter((source) => source.kind === 'link')
      .filter((link) => link.anchor !== undefined);
    const corrected = new Map<LinkedFrame, AssetRef>();
    for (const link of anchored) corrected.set(linkedFrame(input.links, link), await correct(input, link, signal));
    return input.links.map((frame) => {
      const asset = corrected.get(frame);
      return asset === undefined ? frame : { ...frame, corrected: asset };
    });
  };

  async function correct(input: TaskInput, link: FrameLink, signal: AbortSignal): Promise<AssetRef> {
    const carried = linkedFrame(input.links, link);
    const first = linkedFrame(input.links, anchorLink(link.anchor ?? link.shot));
    const correction = correctionTowards(
      await measuresOf(input.productionId, first, signal),
      await measuresOf(input.productionId, carried, signal),
    );
    const recipe = [CORRECTION_VERSION, carried.asset.sha256, correction];
    const kept = await store.films.frame(recipe);
    if (kept !== undefined) return kept;
    if (!(await store.assets.has(carried.asset))) {
      throw failure('AssetMissing', `the ${link.frame} frame of ${link.shot} is not in the store ${store.name}`);
    }
    const frame = await store.assets.withLocalFile(carried.asset, (path) =>
      putFrame(store, async (png) => correctColor(await ffmpeg(), path, png, correction, { signal })),
    );
    await store.films.noteFrame(recipe, frame);
    return frame;
  }

  /** Measures of the clip that the frame comes from. */
  async function measuresOf(
    productionId: string,
    { shot, takeKey }: LinkedFrame,
    signal: AbortSignal,
  ): Promise<ColorMeasures> {
    const takes = await store.ledger.takes(productionId, shot);
    const clip = takes.find(({ intent }) => intent.takeKey === takeKey)?.output?.asset;
    if (clip === undefined) throw failure('AssetMissing', `the ledger has no clip of ${shot} to compare colours with`);
    return store.measures.once(clip, async (path) => {
      if (!(await store.assets.has(clip))) {
        throw failure('AssetMissing', `the clip of ${shot}, ${clip.sha256}, is not in the store ${store.name}`);
      }
      return measureColor(await ffmpeg(), path, { signal }).catch((error: unknown) => {
        throw mediaTrouble(error);
      });
    });
  }
}

/** The correction of the color of `from` towards that of `to`, within the limits. */
function correctionTowards(to: ColorMeasures, from: ColorMeasures): ColorCorrection {
  const gain = from.contrast === 0 ? 1 : within(to.contrast / from.contrast, 1 / MOST_GAIN, MOST_GAIN);
  const shift = (channel: 'red' | 'green' | 'blue'): number =>
    from[channel] + within(to[channel] - from[channel], -MOST_SHIFT, MOST_SHIFT) - gain * from[channel];
  return { gain, shift: { red: shift('red'), green: shift('green'), blue: shift('blue') } };
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
