import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstFrame, lastFrame } from '../../media/frames';
import { findFfmpeg } from '../../media/find-ffmpeg';
import { probe } from '../../media/probe';
import type { Sandbox } from '../../sandbox';
import { flatColor, writePng } from '../../sandbox/plain/png';
import { temporaryFolder } from '../support/temporary-folder';
import { colorError, dataUri, ffmpeg, savedAs, similarity, testPicture } from './media-files';
import { CLIP, download, finish, IMAGE, sandbox, submit } from './rig';

/** Levels of 255 by which a colour may be off after a video: each task has another colour, and 2.4 has been seen. */
const ROUNDED = 4;

const ALPHA = { prompt: 'hills', resolution: '480P', generateAudio: false };

const plain = () => sandbox({ pictures: 'plain' });

interface Rendered {
  readonly clip: string;
  readonly bytes: Buffer;
  readonly lastFrame: string | undefined;
  readonly credits: number | undefined;
}

async function render(from: Sandbox, params: Record<string, unknown>, model = 'beta-2.5'): Promise<Rendered> {
  const { result, usage } = await finish(from, await submit(from, model, params));
  const bytes = await download(result!.url!);
  const frame = result!['lastFrame'] as { url: string } | undefined;
  return {
    clip: await savedAs('clip', bytes),
    bytes,
    lastFrame: frame && (await savedAs('last.png', await download(frame.url))),
    credits: usage?.credits,
  };
}

async function endsOf(clip: string): Promise<{ first: string; last: string }> {
  const folder = await temporaryFolder();
  const ends = { first: join(folder, 'first.png'), last: join(folder, 'last.png') };
  await firstFrame(await findFfmpeg(), clip, ends.first);
  await lastFrame(await findFfmpeg(), clip, ends.last);
  return ends;
}

/** Decodes the whole clip; fails if ffmpeg prints a warning. */
async function countFrames(clip: string): Promise<number> {
  await ffmpeg('-xerror', '-err_detect', 'explode', '-i', clip, '-f', 'null', '-');
  const report = await ffmpeg('-i', clip, '-map', '0:v', '-f', 'null', '-');
  expect(report).not.toMatch(/error|invalid|corrupt|missing/i);
  return Number([...report.matchAll(/frame= *(\d+)/g)].at(-1)?.[1]);
}

describe('a plain clip', () => {
  it.each([
    ['beta-2.5', { resolution: '480p', duration: 4 }, 214, 120, 4],
    ['beta-2.5', { resolution: '720p', duration: 7, aspectRatio: '9:16' }, 180, 320, 7],
    ['alpha-3.0-video', { resolution: '1080P', aspectRatio: '1:1', duration: -1 }, 270, 270, 6],
  ])('of %s with %j is %i × %i, and %i s long', async (model, params, width, height, seconds) => {
    const { clip } = await render(await plain(), { prompt: 'hills', ...params }, model);
    const even = { width: 2 * Math.round(width / 2), height: 2 * Math.round(height / 2) };
    expect(await probe(clip)).toMatchObject({ ...even, videoDurationSeconds: seconds, frameRate: 24 });
    expect(await countFrames(clip)).toBe(seconds * 24);
  });

  it('has the requested container and color depth', async () => {
    const server = await plain();
    const mp4 = await render(server, { ...CLIP, colorDepth: '8bit' });
    expect(await probe(mp4.clip)).toMatchObject({ mediaType: 'video/mp4', videoCodec: 'avc', colorDepth: 8 });
    const mov = await render(server, { ...CLIP, outputFormat: 'mov', colorDepth: '10bit', generateAudio: true });
    expect(await probe(mov.clip)).toMatchObject({ mediaType: 'video/quicktime', videoCodec: 'avc', colorDepth: 10 });
    expect(await countFrames(mov.clip)).toBe(96);
  });

  it('has stereo sound at 48 kHz that is as long as the picture, or none if none was wanted', async () => {
    const server = await plain();
    const { clip } = await render(server, { ...CLIP, generateAudio: true });
    const { audioCodec, durationSeconds } = await probe(clip);
    expect(audioCodec).toBe('aac');
    expect(durationSeconds).toBeGreaterThanOrEqual(4);
    expect(durationSeconds).toBeLessThan(4.1);
    expect(await ffmpeg('-xerror', '-i', clip, '-f', 'null', '-')).toMatch(/Audio: aac.*48000 Hz, stereo/);
    expect((await probe((await render(server, CLIP)).clip)).audioCodec).toBeNull();
  });

  it('differs for each take, and is the same for the same prompt and seed', async () => {
    const server = await plain();
    const [one, two] = await Promise.all([render(server, CLIP), render(server, CLIP)]);
    expect(one.bytes.equals(two.bytes)).toBe(false);
    const [ends, others] = await Promise.all([endsOf(one.clip), endsOf(two.clip)]);
    expect(await colorError(ends.first, ends.last)).toBeLessThan(1);
    expect(await colorError(ends.first, others.first)).toBeGreaterThan(1);

    const seeded = await Promise.all([7, 7, 8].map((seed) => render(server, { ...ALPHA, seed }, 'alpha-3.0-video')));
    expect(seeded[0]!.bytes.equals(seeded[1]!.bytes)).toBe(true);
    expect(seeded[0]!.bytes.equals(seeded[2]!.bytes)).toBe(false);
  });

  it('costs what a painted one costs', async () => {
    expect((await render(await plain(), CLIP)).credits).toBe(20);
  });
});

describe('frames of plain clips', () => {
  it('carry a chain: a clip that starts on the last frame of another shows it first', async () => {
    const server = await plain();
    const one = await render(server, { ...CLIP, returnLastFrame: true });
    const startFrame = dataUri('image/png', await readFile(one.lastFrame!));
    const next = await render(server, { ...CLIP, prompt: 'a storm', startFrame });
    const [before, after] = await Promise.all([endsOf(one.clip), endsOf(next.clip)]);
    expect(await colorError(one.lastFrame!, before.last)).toBeLessThan(ROUNDED);
    expect(await colorError(after.first, one.lastFrame!)).toBeLessThan(ROUNDED);
    expect(await colorError(after.first, after.last)).toBeGreaterThan(ROUNDED);
    expect(await countFrames(next.clip)).toBe(96);
  });

  it.each(['8bit', '10bit'])('that are pictures are the first and last frames of a clip of %s', async (colorDepth) => {
    const picture = await testPicture(214, 120);
    const frame = dataUri('image/png', await readFile(picture));
    const params = { ...CLIP, colorDepth, returnLastFrame: true, startFrame: frame, endFrame: frame };
    const { clip, lastFrame: handedOver } = await render(await plain(), params);
    const { first, last } = await endsOf(clip);
    for (const shown of [first, last, handedOver!]) expect(await similarity(shown, picture)).toBeGreaterThan(0.98);
    expect(await countFrames(clip)).toBe(96);
  });

  it('make the task fail if they cannot be read', async () => {
    const server = await plain();
    const startFrame = 'http://127.0.0.1:1/none';
    const task = await finish(server, await submit(server, 'beta-2.5', { ...CLIP, startFrame }));
    expect(task).toMatchObject({ status: 'FAILED', error: { code: 'invalid_file' }, usage: { credits: 20 } });
  });
});

describe('a plain picture', () => {
  it('has the requested size, and differs for each prompt', async () => {
    const server = await plain();
    const [fox, other] = await Promise.all([
      render(server, IMAGE.params, IMAGE.model),
      render(server, { ...IMAGE.params, prompt: 'a hare' }, IMAGE.model),
    ]);
    expect(await probe(fox.clip)).toMatchObject({ mediaType: 'image/png', width: 160, height: 90, colorDepth: 8 });
    expect(await colorError(fox.clip, other.clip)).toBeGreaterThan(1);
  });

  it('differs for each task, so that takes of one shot differ', async () => {
    const server = await plain();
    const [one, other] = await Promise.all([0, 1].map(() => render(server, IMAGE.params, IMAGE.model)));
    expect(one!.bytes).not.toEqual(other!.bytes);
  });
});

describe('a picture of one color', () => {
  const size = { width: 4, height: 2 };

  it('is read without ffmpeg', () => {
    expect(flatColor(writePng(size, [1, 2, 3]))).toEqual([1, 2, 3]);
  });

  it.each([0, 0xffff_ffff])('is read by ffmpeg if its header states a width of %i', (width) => {
    const png = writePng(size, [1, 2, 3]);
    png.writeUInt32BE(width, 16);
    expect(flatColor(png)).toBeUndefined();
  });
});
