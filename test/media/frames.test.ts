import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFfmpeg, firstFrame, lastFrame, NoFrameError, probe } from '../../media';
import { temporaryFolder } from '../support/temporary-folder';
import { makeClip, pictureHashes, scriptedFfmpeg } from './fixtures';

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

describe.each([
  ['an ordinary clip', 'mp4', { frames: 60 }],
  ['sound that is longer than the picture', 'mp4', { frames: 24, soundSeconds: 4 }],
  ['sound that is shorter than the picture', 'mp4', { frames: 60, soundSeconds: 1 }],
  ['many frames between two key frames and B-frames', 'mp4', { frames: 150, extra: ['-g', '250', '-bf', '5'] }],
  ['ten bits', 'mov', { frames: 30, pixelFormat: 'yuv420p10le' }],
  ['a single frame', 'mp4', { frames: 1 }],
  ['three frames', 'mp4', { frames: 3 }],
  ['a fractional rate', 'mp4', { frames: 50, frameRate: '24000/1001' }],
  ['one frame in two seconds', 'mp4', { frames: 4, frameRate: '1/2' }],
  ['WebM', 'webm', { frames: 40, codec: ['-c:v', 'libvpx', '-deadline', 'realtime'], extra: ['-auto-alt-ref', '1'] }],
  ['an uneven rate', 'mp4', { frames: 60, extra: ['-vf', "select='lt(n,40)+not(mod(n,19))'"] }],
])('a clip with %s', (name, extension, options) => {
  const png = (which: string) => join(folder, `${name}-${which}.png`);
  let clip: string;
  let hashes: readonly string[];

  beforeAll(async () => {
    clip = await makeClip(join(folder, `${name}.${extension}`), options);
    hashes = await pictureHashes(clip);
  });

  it('gives exactly the last frame of a full decode', async () => {
    await lastFrame(await findFfmpeg(), clip, png('last'));
    expect(await pictureHashes(png('last'))).toEqual([hashes.at(-1)]);
    expect(await probe(png('last'))).toMatchObject({ mediaType: 'image/png', colorDepth: 8 });
  });

  it('gives exactly the first frame', async () => {
    await firstFrame(await findFfmpeg(), clip, png('first'));
    expect(await pictureHashes(png('first'))).toEqual([hashes[0]]);
  });
});

it('decodes only the end of a clip', async () => {
  const log = join(folder, 'calls');
  const ffmpeg = await scriptedFfmpeg(folder, `echo "$@" >> "${log}"\nexec "$REAL" "$@"`);
  const clip = await makeClip(join(folder, 'long.mp4'), { frames: 120, soundSeconds: 8 });
  await lastFrame(ffmpeg, clip, join(folder, 'long.png'));
  const calls = (await readFile(log, 'utf8')).trim().split('\n');
  expect(calls).toHaveLength(1);
  expect(calls[0]).toContain('-ss 4.75');
});

it('reports a clip without a picture, and leaves no file', async () => {
  const sound = join(folder, 'only-sound.mp4');
  await makeClip(sound, { soundSeconds: 1, extra: ['-vn'] });
  const target = join(await temporaryFolder(), 'none.png');
  await expect(lastFrame(await findFfmpeg(), sound, target)).rejects.toThrow(/matches no streams|No frame/);
  expect(await readdir(join(target, '..'))).toEqual([]);
});

it('fails when ffmpeg reports success but wrote nothing', async () => {
  const ffmpeg = await scriptedFfmpeg(folder, 'exit 0');
  const clip = await makeClip(join(folder, 'fine.mp4'));
  const target = join(await temporaryFolder(), 'none.png');
  await writeFile(`${target}.other`, '');
  await expect(lastFrame(ffmpeg, clip, target)).rejects.toThrow(NoFrameError);
  await expect(firstFrame(ffmpeg, clip, target)).rejects.toThrow(NoFrameError);
  expect(await readdir(join(target, '..'))).toEqual(['none.png.other']);
});
