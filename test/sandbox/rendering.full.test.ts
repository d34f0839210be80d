import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { probe } from '../../media/probe';
import { temporaryFolder } from '../support/temporary-folder';
import { colorError, dataUri, ffmpeg, savedAs, similarity, testPicture } from './media-files';
import { countFrames, framesOf, render, SAME_PICTURE, stillOf } from './painted-clips';
import { CLIP, download } from './rig';

describe('a clip', () => {
  it.each([
    ['beta-2.5', { resolution: '480p', duration: 4, aspectRatio: '21:9' }, 1120, 480, 4],
    ['alpha-3.0-video', { resolution: '480P', aspectRatio: '3:4', duration: -1 }, 480, 640, 6],
  ])('of %s with %j is %i × %i and %i s long', async (model, params, width, height, seconds) => {
    const { clip } = await render({ prompt: 'hills', ...params }, model);
    expect(await probe(clip)).toMatchObject({ width, height, videoDurationSeconds: seconds, frameRate: 24 });
    expect(await countFrames(clip)).toBe(seconds * 24);
  });

  it('has the requested container and color depth', async () => {
    const mp4 = await render({ ...CLIP, colorDepth: '8bit' });
    expect(await probe(mp4.clip)).toMatchObject({ mediaType: 'video/mp4', videoCodec: 'avc', colorDepth: 8 });
    const mov = await render({ ...CLIP, outputFormat: 'mov', colorDepth: '10bit' });
    expect(await probe(mov.clip)).toMatchObject({ mediaType: 'video/quicktime', videoCodec: 'avc', colorDepth: 10 });
  });

  it('has stereo sound at 48 kHz that is as long as the picture, or none if none was wanted', async () => {
    const { clip } = await render({ ...CLIP, generateAudio: true });
    const { audioCodec, durationSeconds } = await probe(clip);
    expect(audioCodec).toBe('aac');
    expect(durationSeconds).toBeGreaterThanOrEqual(4);
    expect(durationSeconds).toBeLessThan(4.1);
    const report = await ffmpeg('-i', clip, '-af', 'volumedetect', '-vn', '-f', 'null', '-');
    expect(report).toMatch(/Audio: aac.*48000 Hz, stereo/);
    const loudest = Number(/max_volume: (-?[\d.]+) dB/.exec(report)?.[1]);
    expect(loudest).toBeGreaterThan(-30);
    expect(loudest).toBeLessThan(-3);

    expect((await probe((await render(CLIP)).clip)).audioCodec).toBeNull();
  });

  it('is the same again for the same prompt and seed', async () => {
    const params = { prompt: 'hills', resolution: '480P', generateAudio: false };
    const clips = await Promise.all([7, 7, 8].map((seed) => render({ ...params, seed }, 'alpha-3.0-video')));
    const [one, again, other] = await Promise.all(clips.map(({ clip }) => readFile(clip)));
    expect(one!.equals(again!)).toBe(true);
    expect(one!.equals(other!)).toBe(false);
  });

  it('moves, and looks different for another prompt', async () => {
    const waves = await framesOf((await render(CLIP)).clip);
    const hills = await framesOf((await render({ ...CLIP, prompt: 'hills at dusk' })).clip);
    expect(await similarity(waves.first, waves.last)).toBeLessThan(0.95);
    expect(await similarity(waves.first, hills.first)).toBeLessThan(0.9);
  });
});

describe('given frames', () => {
  it.each(['8bit', '10bit'])('are the first and last frames of a clip of %s, at full size', async (colorDepth) => {
    const start = await testPicture(1280, 720);
    const end = await savedAs('end.png', await download((await stillOf('night over the sea')).url));
    const { clip } = await render({
      ...CLIP,
      resolution: '720p',
      colorDepth,
      startFrame: dataUri('image/png', await readFile(start)),
      endFrame: dataUri('image/png', await readFile(end)),
    });
    const { first, last } = await framesOf(clip);
    expect(await similarity(first, start)).toBeGreaterThanOrEqual(SAME_PICTURE);
    expect(await similarity(last, end)).toBeGreaterThanOrEqual(SAME_PICTURE);
    expect(await colorError(last, end)).toBeLessThan(3);
  });

  it('of another shape are cropped to cover the clip', async () => {
    const square = await testPicture(600, 600);
    const { clip } = await render({
      ...CLIP,
      aspectRatio: '4:3',
      startFrame: dataUri('image/png', await readFile(square)),
    });
    const { first } = await framesOf(clip);
    const cropped = join(await temporaryFolder(), 'cropped.png');
    await ffmpeg('-i', square, '-vf', 'scale=640:640:flags=bicubic,crop=640:480', cropped);
    expect(await similarity(first, cropped)).toBeGreaterThanOrEqual(SAME_PICTURE);
  });

  it('may come as addresses', async () => {
    const start = await testPicture(854, 480);
    const files = createServer((_, response) => void readFile(start).then((bytes) => response.end(bytes)));
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = files.address() as AddressInfo;
      const { clip } = await render({ ...CLIP, startFrame: `http://127.0.0.1:${port}/start` });
      expect(await similarity((await framesOf(clip)).first, start)).toBeGreaterThanOrEqual(SAME_PICTURE);
    } finally {
      files.close();
    }
  });
});

describe('an image', () => {
  it('differs in each take', async () => {
    const [one, other] = await Promise.all([stillOf('a fox'), stillOf('a fox')]);
    expect(Buffer.compare(await download(one.url), await download(other.url))).not.toBe(0);
  });

  it('has the requested size', async () => {
    const { url } = await stillOf('a fox');
    expect(await probe(await savedAs('still.png', await download(url)))).toMatchObject({
      mediaType: 'image/png',
      width: 1280,
      height: 720,
    });
  });
});
