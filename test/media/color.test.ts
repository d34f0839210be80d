import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { correctColor, findFfmpeg, firstFrame, measureColor } from '../../media';
import { temporaryFolder } from '../support/temporary-folder';
import { makeClip } from './fixtures';

describe('colour', () => {
  it('is measured as means of luma and channels, with no contrast in one flat colour', async () => {
    const folder = await temporaryFolder();
    const path = await makeClip(join(folder, 'flat.mp4'), { picture: '0x406080', frames: 30 });
    const { red, green, blue, brightness, contrast } = await measureColor(await findFfmpeg(), path);
    for (const [measured, meant] of [
      [red, 0x40],
      [green, 0x60],
      [blue, 0x80],
    ] as const) {
      expect(Math.abs(measured - meant)).toBeLessThan(3);
    }
    expect(brightness).toBeCloseTo(0.2126 * red + 0.7152 * green + 0.0722 * blue, 3);
    expect(contrast).toBeLessThan(1);
  });

  it('is measured over the whole clip, not only at its start', async () => {
    const folder = await temporaryFolder();
    const halves = ['-vf', "drawbox=color=white:t=fill:enable='gte(n,24)'"];
    const path = await makeClip(join(folder, 'halves.mp4'), { picture: 'black', frames: 48, extra: halves });
    const { brightness } = await measureColor(await findFfmpeg(), path);
    expect(brightness).toBeGreaterThan(90);
    expect(brightness).toBeLessThan(165);
  });

  it('is corrected by the same table to the same bytes', async () => {
    const folder = await temporaryFolder();
    const ffmpeg = await findFfmpeg();
    const frame = join(folder, 'frame.png');
    await firstFrame(ffmpeg, await makeClip(join(folder, 'clip.mp4')), frame);
    const before = await measureColor(ffmpeg, frame);
    const correction = { gain: 0.5, shift: { red: 60, green: 50, blue: 40 } };
    const corrected = join(folder, 'corrected.png');
    await correctColor(ffmpeg, frame, corrected, correction);
    const after = await measureColor(ffmpeg, corrected);
    expect(after.contrast / before.contrast).toBeCloseTo(0.5, 1);
    for (const channel of ['red', 'green', 'blue'] as const) {
      expect(Math.abs(after[channel] - (0.5 * before[channel] + correction.shift[channel]))).toBeLessThan(0.6);
    }
    await copyFile(corrected, join(folder, 'kept.png'));
    await correctColor(ffmpeg, frame, corrected, correction);
    expect(await readFile(corrected)).toEqual(await readFile(join(folder, 'kept.png')));
  });
});
