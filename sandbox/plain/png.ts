import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { Size } from '../rendering/clip-size';
import type { Color } from '../scene/color';
import type { Still } from './h264';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** The format in which this module and ffmpeg write pictures: RGB with 8 bits per channel, not interlaced. */
const FORMAT = [8, 2, 0, 0, 0];
const PIXEL_BYTES = 3;

/** More than twice the size of a 4K picture. Without a limit, a small file could inflate to any size. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;

/** Encodes a picture as PNG. The comment distinguishes the picture from pictures that look the same. */
export function writePng({ width, height }: Size, still: Still, comment?: string): Buffer {
  const rowBytes = width * PIXEL_BYTES;
  const rows = Array.from({ length: height }, (_, row) => rowOf(still, row * rowBytes, rowBytes));
  const header = Buffer.alloc(8);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, Buffer.from(FORMAT)])),
    ...(comment === undefined ? [] : [chunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1'))]),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The color of a PNG of one color; undefined for other pictures and formats, and for damaged or too large data. */
export function flatColor(png: Buffer): Color | undefined {
  if (!png.subarray(0, 8).equals(SIGNATURE) || !png.subarray(24, 29).equals(Buffer.from(FORMAT))) return undefined;
  const rowBytes = png.readUInt32BE(16) * PIXEL_BYTES;
  const rows = inflated(Buffer.concat(imageData(png)));
  // The header may state any width; at least one whole row must be there.
  if (rows === undefined || rowBytes === 0 || rows.length <= rowBytes) return undefined;
  const color = rows.subarray(1, 1 + PIXEL_BYTES);
  const flat = Buffer.alloc(rowBytes, color);
  let above: Uint8Array = new Uint8Array(rowBytes);
  for (let at = 0; at < rows.length; at += rowBytes + 1) {
    const row = unfiltered(rows[at] ?? 0, rows.subarray(at + 1, at + 1 + rowBytes), above);
    if (!flat.equals(row)) return undefined;
    above = row;
  }
  return [color[0] ?? 0, color[1] ?? 0, color[2] ?? 0];
}

/** The inflated data; undefined if the data is damaged or too large. ffmpeg then reads the picture instead. */
function inflated(data: Buffer): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch {
    return undefined;
  }
}

/** A row as PNG stores it: the filter type, 0 (none), and then the pixels. */
function rowOf(still: Still, from: number, bytes: number): Buffer {
  const pixels =
    still instanceof Uint8Array ? still.subarray(from, from + bytes) : Buffer.alloc(bytes, Buffer.from(still));
  return Buffer.concat([Buffer.of(0), pixels]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

function imageData(png: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = SIGNATURE.length; at + 12 <= png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') chunks.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return chunks;
}

/** Undoes the filter of one row. Source: PNG specification, "Filtering". */
function unfiltered(filter: number, row: Uint8Array, above: Uint8Array): Uint8Array {
  const plain = new Uint8Array(row.length);
  for (let at = 0; at < row.length; at += 1) {
    const left = at < PIXEL_BYTES ? 0 : (plain[at - PIXEL_BYTES] ?? 0);
    const up = above[at] ?? 0;
    const upLeft = at < PIXEL_BYTES ? 0 : (above[at - PIXEL_BYTES] ?? 0);
    const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)];
    plain[at] = (row[at] ?? 0) + (guesses[filter] ?? 0);
  }
  return plain;
}

function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft;
  const [byLeft, byUp, byBoth] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)];
  if (byLeft <= byUp && byLeft <= byBoth) return left;
  return byUp <= byBoth ? up : upLeft;
}
