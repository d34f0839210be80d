import { type FileHandle } from 'node:fs/promises';

/** Bytes in memory at once: a file from outside may have any size. */
const WINDOW_BYTES = 64 * 1024;

const GIF_TRAILER = 0x3b;

/**
 * True if an image is not truncated. A truncated image may have a valid header, but every task that starts on it fails.
 *
 * PNG and JPEG need their end marker; bytes after it are ignored. WebP needs the length that its header states. GIF
 * needs its trailer as the last byte that is not zero.
 *
 * Source: PNG 3rd edition, section 5; RFC 9649, section 2.4; ITU-T T.81, annex B; GIF 89a, section 27.
 *
 * @param mediaType from the image's own header.
 */
export async function isWholeImage(file: FileHandle, mediaType: string): Promise<boolean> {
  const read = windowOn(file);
  const { size } = await file.stat();
  switch (mediaType) {
    case 'image/png':
      return await hasPngEnd(read);
    case 'image/jpeg':
      return await hasJpegEnd(read);
    case 'image/webp':
      return size >= 8 + (await read(4, 4)).readUInt32LE(0);
    default:
      return (await read(Math.max(0, size - WINDOW_BYTES), 1)).findLast((byte) => byte !== 0) === GIF_TRAILER;
  }
}

/**
 * Reads bytes from an offset: at least `least`, or fewer at the file's end. The bytes are valid until the next call.
 */
type Read = (at: number, least: number) => Promise<Buffer>;

function windowOn(file: FileHandle): Read {
  const buffer = Buffer.alloc(WINDOW_BYTES);
  let [start, end] = [0, 0];
  return async (at, least) => {
    if (at < start || at + least > end) {
      start = at;
      end = at + (await file.read(buffer, 0, WINDOW_BYTES, at)).bytesRead;
    }
    return buffer.subarray(at - start, end - start);
  };
}

/** Walks the chunks up to IEND. */
async function hasPngEnd(read: Read): Promise<boolean> {
  for (let at = 8; ;) {
    const chunk = await read(at, 12);
    if (chunk.length < 12) return false;
    if (chunk.toString('latin1', 4, 8) === 'IEND') return true;
    at += 12 + chunk.readUInt32BE(0);
  }
}

/**
 * Walks the segments and the coded data between them up to EOI. A thumbnail's own EOI is inside a segment and does not
 * count.
 */
async function hasJpegEnd(read: Read): Promise<boolean> {
  for (let at = 2; ;) {
    const data = await read(at, 4);
    if (data.length < 2) return false;
    const found = data.subarray(0, -1).indexOf(0xff);
    const marker = found === 0 ? data.readUInt8(1) : undefined;
    if (marker === 0xd9) return true;
    if (marker === undefined) at += found === -1 ? data.length - 1 : found;
    else if (marker === 0xff) at += 1;
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else if (data.length >= 4) at += 2 + data.readUInt16BE(2);
    else return false;
  }
}
