import { type FileHandle } from 'node:fs/promises';

/** Bytes in memory at once: a file from outside may have any size. */
const WINDOW_BYTES = 64 * 1024;

const GIF_TRAILER = 0x3b;

/** Bytes that any part of an image needs for its length: those of a PNG chunk. */
const LONGEST_PART_HEAD = 12;

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
      return await hasEnd(read, 8, pngPart);
    case 'image/jpeg':
      return await hasEnd(read, 2, jpegPart);
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

/**
 * Reads one part of an image at an offset of `data`. Returns the part's length, 0 if more bytes must be read first, or
 * `end` if the part is the end marker.
 */
type PartLength = (data: Buffer, offset: number) => number | 'end';

/** Chunks up to IEND. */
const pngPart: PartLength = (data, offset) => {
  if (data.length - offset < 12) return 0;
  return data.toString('latin1', offset + 4, offset + 8) === 'IEND' ? 'end' : 12 + data.readUInt32BE(offset);
};

/**
 * Segments, and the coded data between them, up to EOI. A thumbnail's own EOI is inside a segment and does not count.
 */
const jpegPart: PartLength = (data, offset) => {
  const left = data.length - offset;
  if (left < 2) return 0;
  if (data[offset] !== 0xff) {
    const found = data.indexOf(0xff, offset);
    return found === -1 ? left : found - offset;
  }
  const marker = data.readUInt8(offset + 1);
  if (marker === 0xd9) return 'end';
  if (marker === 0xff) return 1;
  if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd7)) return 2;
  return left < 4 ? 0 : 2 + data.readUInt16BE(offset + 2);
};

/** True if the parts from `start` lead to the end marker. Reads a window at a time: parts may be as short as a byte. */
async function hasEnd(read: Read, start: number, partLength: PartLength): Promise<boolean> {
  for (let at = start; ;) {
    const data = await read(at, LONGEST_PART_HEAD);
    let offset = 0;
    let length = partLength(data, offset);
    while (length !== 0) {
      if (length === 'end') return true;
      offset += length;
      length = partLength(data, offset);
    }
    if (offset === 0) return false;
    at += offset;
  }
}
