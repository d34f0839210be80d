import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe as describeMedia } from '../../../media/prober/describe';
import { promisesTooMuch } from '../../../media/prober/sample-tables';
import { temporaryFolder } from '../../support/temporary-folder';

/** A file with these bytes. */
async function fileOf(...parts: readonly Buffer[]): Promise<string> {
  const path = join(await temporaryFolder(), 'clip.mp4');
  await writeFile(path, Buffer.concat(parts));
  return path;
}

function box(name: string, content: Buffer, size = content.length + 8): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, content]);
}

/** Boxes of one kind within each other. */
function nested(name: string, depth: number): Buffer {
  const boxes = Buffer.alloc(depth * 8);
  for (let at = 0; at < boxes.length; at += 8) {
    boxes.writeUInt32BE(boxes.length - at, at);
    boxes.write(name, at + 4, 'latin1');
  }
  return boxes;
}

describe('a file with boxes nested 20,000 deep', () => {
  it('is no media, and is not searched to the bottom', async () => {
    const path = await fileOf(box('ftyp', Buffer.from('isom\0\0\0\0')), box('moov', nested('trak', 20_000)));
    await expect(promisesTooMuch(path)).rejects.toThrow('more than 16 boxes within each other');
    expect(await describeMedia(path)).toBe('no media');
  });
});

describe('a file that ends within the header of its last box', () => {
  it('is read without the bytes of the box before', async () => {
    // The bytes at 8 to 15 of the first box would be read as the size of the last box.
    const stale = box('free', Buffer.from('00000000000000ff', 'hex'));
    const path = await fileOf(stale, box('moov', Buffer.alloc(0), 1));
    expect(await promisesTooMuch(path)).toBe(false);
    expect(await describeMedia(path)).toBe('no media');
  });
});
