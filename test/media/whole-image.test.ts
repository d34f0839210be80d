import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isWholeImage } from '../../media/whole-image';
import { leastOf } from '../support/least-of';
import { temporaryFolder } from '../support/temporary-folder';

/** More than is in memory at once, and not a multiple of it. */
const BYTES = 1_000_003;

const EOI = Buffer.from([0xff, 0xd9]);

describe('a JPEG', () => {
  it.each<[string, readonly number[]]>([
    ['fill bytes', [0xff]],
    ['markers without a segment', [0xff, 0x01]],
    ['empty segments', [0xff, 0xe0, 0, 2]],
  ])('of only %s is read to its end, at about the cost of coded data', async (_what, part) => {
    const folder = await temporaryFolder();
    const whole = async (filling: Buffer, ...end: readonly Buffer[]): Promise<boolean> => {
      const path = join(folder, 'picture.jpg');
      await writeFile(path, Buffer.concat([Buffer.from([0xff, 0xd8]), filling, ...end]));
      const file = await open(path);
      try {
        return await isWholeImage(file, 'image/jpeg');
      } finally {
        await file.close();
      }
    };
    const hostile = Buffer.alloc(BYTES - (BYTES % part.length), Buffer.from(part));
    expect(await whole(hostile, EOI)).toBe(true);
    expect(await whole(hostile)).toBe(false);
    const [cost, usual] = [
      await leastOf(3, () => whole(hostile, EOI)),
      await leastOf(3, () => whole(Buffer.alloc(BYTES), EOI)),
    ];
    expect(cost / usual).toBeLessThan(60);
  });
});
