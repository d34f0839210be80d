import { gzipSync } from 'node:zlib';
import { decodeBody } from '../../gateway/content-coding';

/** Unpacks to 8 MB, and its last bytes say that it is broken. */
function brokenAtItsEnd(): Buffer {
  const packed = gzipSync(Buffer.alloc(8_000_000));
  packed.writeUInt32LE(1, packed.length - 8);
  return packed;
}

describe('a compressed body', () => {
  it('is unpacked only until it is too long', async () => {
    expect(await decodeBody(brokenAtItsEnd(), 'gzip', 1_000)).toHaveLength(1_001);
    await expect(decodeBody(brokenAtItsEnd(), 'gzip', 9_000_000)).rejects.toThrow('incorrect data check');
  });
});
