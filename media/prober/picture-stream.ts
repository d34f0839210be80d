import { createHash } from 'node:crypto';
import { withContainer } from './container';

/**
 * Names everything that must be alike for two clips' pictures to be joined without encoding them.
 *
 * Null where a picture cannot be taken over at all: anything but upright, evenly timed 8-bit H.264, which is what every
 * browser plays.
 */
export async function pictureStream(path: string): Promise<string | null> {
  return await withContainer(path, async ({ video }) => {
    const config = await video?.getDecoderConfig();
    if (!video || !config?.description || !/^avc1\.(42|4d|64)/i.test(config.codec)) return null;
    const timing = await video.computeFrameRateMetrics({ targetPacketCount: Infinity });
    const upright = (await video.getRotation()) === 0 && !(await video.getFlip());
    if (!upright || !timing.frameRateIsConstant || (await video.getFirstTimestamp()) !== 0) return null;

    const shape = [await video.getDisplayWidth(), await video.getDisplayHeight(), timing.bestGuessFrameRate];
    // Parameter sets: size, chroma, reference frames and whatever else a decoder sets itself up by.
    const description = Buffer.from(config.description as Uint8Array);
    return [config.codec, ...shape, createHash('sha256').update(description).digest('hex')].join(' ');
  });
}
