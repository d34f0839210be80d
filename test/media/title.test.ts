import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFfmpeg } from '../../media';
import { layOutTitle } from '../../media/text/title';
import { temporaryFolder } from '../support/temporary-folder';

const FORMAT = { width: 1920, height: 1080, frameRate: { numerator: 24, denominator: 1 } };

/** The lines that are drawn, the size of their letters, and their baselines. */
async function drawn(text: string) {
  const folder = await temporaryFolder();
  const ffmpeg = { ...(await findFfmpeg()), filters: new Set(['drawtext']) };
  const { filters } = await layOutTitle(ffmpeg, { text, seconds: 3 }, FORMAT, folder);
  const lines = filters(0);
  return {
    lines: await Promise.all(lines.map((_, index) => readFile(join(folder, `title-${index}.txt`), 'utf8'))),
    letters: Number(/fontsize=(\d+)/.exec(lines[0] ?? '')?.[1]),
    baselines: lines.map((line) => Number(/:y=(-?\d+)-ascent/.exec(line)?.[1])),
  };
}

describe('the title of a film', () => {
  it.each([
    ['in four lines', 'One\nTwo\nThree\nFour'],
    ['in eight lines', 'a\nb\nc\nd\ne\nf\ng\nh'],
    ['in one line of long words', 'An Incomprehensible Transcontinental Circumnavigation Notwithstanding'],
  ])('is drawn with all its words within the frame: %s', async (_what, text) => {
    const { lines, letters, baselines } = await drawn(text);
    expect(lines.join(' ').split(' ')).toEqual(text.split(/\s/));
    expect((baselines[0] ?? 0) - letters).toBeGreaterThan(0);
    expect(baselines.at(-1)).toBeLessThan(FORMAT.height);
  });

  it('has letters of the same size in one to five lines, and smaller ones in more', async () => {
    const sizes = await Promise.all(['a', 'a\nb\nc', 'a\nb\nc\nd\ne', 'a\nb\nc\nd\ne\nf'].map(drawn));
    expect(sizes.map(({ letters }) => letters)).toEqual([120, 120, 120, 111]);
  });
});
