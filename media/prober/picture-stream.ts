import { createHash } from 'node:crypto';
import { withContainer } from './container';

/**
 * Returns a string. If two clips have the same string, their pictures can be joined without encoding.
 *
 * Null if the picture cannot be copied. Only upright 8-bit H.264, which every browser plays, is copied. It must start
 * at 0 s and have a constant frame rate.
 */
export async function pictureStream(path: string): Promise<string | null> {
  return await withContainer(path, async ({ video }) => {
    const config = await video?.getDecoderConfig();
    if (!video || !config?.description || !/^avc1\.(42|4d|64)/i.test(config.codec)) return null;
    const timing = await video.computeFrameRateMetrics({ targetPacketCount: Infinity });
    const upright = (await video.getRotation()) === 0 && !(await video.getFlip());
    if (!upright || !timing.frameRateIsConstant || (await video.getFirstTimestamp()) !== 0) return null;

    const shape = [await video.getDisplayWidth(), await video.getDisplayHeight(), timing.bestGuessFrameRate];
    // Parameter sets: size, chroma, reference frames and the decoder's other settings.
    const description = Buffer.from(config.description as Uint8Array);
    return [config.codec, ...shape, createHash('sha256').update(description).digest('hex')].join(' ');
  });
}
