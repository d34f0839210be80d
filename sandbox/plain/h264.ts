import type { Size } from '../rendering/clip-size';
import type { Color } from '../scene/color';
import { BitWriter } from './bit-writer';
import { toYuv } from './color';

/**
 * Writes H.264 without an encoder: pictures of one color, uncompressed pictures, and repeats of the previous picture.
 *
 * Intra prediction spreads one color over a picture and needs no coefficients. A picture whose macroblocks are all
 * skipped repeats the previous picture.
 *
 * Source: ITU-T H.264, 7.3 and 9.2.
 */

/** One color, or rows of red, green and blue bytes in the size of the video. */
export type Still = Color | Uint8Array;

export interface VideoShape extends Size {
  readonly frameRate: number;
  readonly colorDepth: 8 | 10;
}

export interface H264 {
  /** The parameter sets as an MP4 file stores them: `avcC`. */
  readonly configuration: Buffer;
  /** A picture at which decoding can start. Different comments make equal pictures differ in bytes. */
  key(still: Still, comment?: string): Buffer;
  /** A repeat of the previous picture. `after` is the distance from the last key picture, in pictures. */
  repeat(after: number): Buffer;
}

const NAL = { repeat: 0x41, key: 0x65, comment: 0x06, sequence: 0x67, picture: 0x68 };
const HIGH = 100;
const HIGH_10 = 110;
/** Level 3.1: up to 1280 × 720 at 30 frames per second, more than these clips need. */
const LEVEL = 31;
const ALL_I = 7;
const ALL_P = 5;
/** Macroblock type: the mean of the neighbours, without coefficients. */
const I_16X16_DC = 3;
/** Macroblock type: uncompressed samples. */
const I_PCM = 25;
const MACROBLOCK = 16;
/** The UUID of our SEI comments; any 16 bytes will do. */
const COMMENT_ID = Buffer.from('dailies-sandbox.');

export function openH264(shape: VideoShape): H264 {
  const columns = Math.ceil(shape.width / MACROBLOCK);
  const rows = Math.ceil(shape.height / MACROBLOCK);
  const sequence = nal(NAL.sequence, sequenceParameters(shape, columns, rows));
  const picture = nal(NAL.picture, pictureParameters());
  let keys = 0;

  return {
    configuration: avcConfiguration(sequence, picture, shape.colorDepth),
    key(still, comment) {
      const slice = new BitWriter().golomb(0).golomb(ALL_I).golomb(0).bits(0, 4);
      // Two consecutive key pictures must have different ids.
      slice.golomb(keys++ % 2).bits(0, 2);
      endHeader(slice);
      if (still instanceof Uint8Array) writePicture(slice, still, shape, columns * rows);
      else writeColor(slice, still, shape, columns, rows);
      return lengthPrefixed(
        comment === undefined ? [] : [nal(NAL.comment, commentOf(comment))],
        nal(NAL.key, end(slice)),
      );
    },
    repeat(after) {
      const slice = new BitWriter().golomb(0).golomb(ALL_P).golomb(0);
      slice.bits(after % 16, 4).bits(0, 3);
      endHeader(slice);
      return lengthPrefixed([], nal(NAL.repeat, end(slice.golomb(columns * rows))));
    },
  };
}

function sequenceParameters({ width, height, frameRate, colorDepth }: VideoShape, columns: number, rows: number) {
  const bits = new BitWriter()
    .bits(colorDepth === 10 ? HIGH_10 : HIGH, 8)
    .bits(0, 8)
    .bits(LEVEL, 8);
  bits.golomb(0).golomb(1);
  bits
    .golomb(colorDepth - 8)
    .golomb(colorDepth - 8)
    .bits(0, 2);
  // Frame numbers have 4 bits, pictures are displayed in stream order, and there is one reference picture.
  bits.golomb(0).golomb(2).golomb(1).bits(0, 1);
  bits
    .golomb(columns - 1)
    .golomb(rows - 1)
    .bits(0b11, 2);
  bits
    .bits(1, 1)
    .golomb(0)
    .golomb((columns * MACROBLOCK - width) / 2);
  bits.golomb(0).golomb((rows * MACROBLOCK - height) / 2);
  // VUI: square pixels, video range, BT.709, a fixed rate, no reordering.
  bits.bits(1, 1).bits(1, 1).bits(1, 8).bits(0, 1);
  bits.bits(1, 1).bits(5, 3).bits(0, 1).bits(1, 1).bits(1, 8).bits(1, 8).bits(1, 8).bits(0, 1);
  bits
    .bits(1, 1)
    .bits(1, 32)
    .bits(2 * frameRate, 32)
    .bits(1, 1);
  bits.bits(0, 3).bits(1, 1).bits(1, 1).golomb(0).golomb(0).golomb(10).golomb(10).golomb(0).golomb(1);
  return end(bits);
}

function pictureParameters(): Buffer {
  const bits = new BitWriter().golomb(0).golomb(0).bits(0, 2).golomb(0).golomb(0).golomb(0).bits(0, 3);
  // Default quantizers, and three flags. The first flag makes each slice say whether edges are deblocked.
  return end(bits.golomb(0).golomb(0).golomb(0).bits(0b100, 3));
}

/** Writes the default quantizer and no deblocking. */
function endHeader(slice: BitWriter): void {
  slice.golomb(0).golomb(1);
}

/** Writes the first macroblock uncompressed. The decoder predicts the remaining ones from their neighbours. */
function writeColor(slice: BitWriter, color: Color, { colorDepth }: VideoShape, columns: number, rows: number): void {
  const samples = toYuv(...color).map((value) => Math.round(value * 2 ** (colorDepth - 8)));
  slice.golomb(I_PCM).align();
  for (const [plane, count] of [256, 64, 64].entries()) {
    for (let at = 0; at < count; at += 1) slice.bits(samples[plane] ?? 0, colorDepth);
  }
  for (let at = 1; at < columns * rows; at += 1) {
    slice.golomb(I_16X16_DC).golomb(0).golomb(0);
    // The code for "no coefficients" differs next to an uncompressed macroblock.
    if (at === 1 || at === columns) slice.bits(0b000011, 6);
    else slice.bits(1, 1);
  }
}

function writePicture(slice: BitWriter, rgb: Uint8Array, shape: VideoShape, macroblocks: number): void {
  const { width, height, colorDepth } = shape;
  const columns = Math.ceil(width / MACROBLOCK);
  const scale = 2 ** (colorDepth - 8);
  const sample = (plane: number, x: number, y: number) => {
    const at = 3 * (Math.min(y, height - 1) * width + Math.min(x, width - 1));
    return Math.round((toYuv(rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0)[plane] ?? 0) * scale);
  };
  for (let macroblock = 0; macroblock < macroblocks; macroblock += 1) {
    const left = MACROBLOCK * (macroblock % columns);
    const top = MACROBLOCK * Math.floor(macroblock / columns);
    slice.golomb(I_PCM).align();
    for (const [plane, step] of [1, 2, 2].entries()) {
      for (let y = 0; y < MACROBLOCK; y += step) {
        for (let x = 0; x < MACROBLOCK; x += step) slice.bits(sample(plane, left + x, top + y), colorDepth);
      }
    }
  }
}

function commentOf(text: string): Buffer {
  const data = Buffer.concat([COMMENT_ID, Buffer.from(text)]);
  const size = [...Array<number>(Math.floor(data.length / 255)).fill(255), data.length % 255];
  return Buffer.concat([Buffer.of(5, ...size), data, Buffer.of(0x80)]);
}

function end(bits: BitWriter): Buffer {
  return bits.bits(1, 1).align().bytes();
}

/** A NAL unit. A byte of 3 is inserted between two zero bytes and a byte of 0 to 3. */
function nal(header: number, payload: Buffer): Buffer {
  const bytes = [header];
  let zeroes = 0;
  for (const byte of payload) {
    if (zeroes >= 2 && byte <= 3) {
      bytes.push(3);
      zeroes = 0;
    }
    bytes.push(byte);
    zeroes = byte === 0 ? zeroes + 1 : 0;
  }
  return Buffer.from(bytes);
}

function lengthPrefixed(before: readonly Buffer[], slice: Buffer): Buffer {
  return Buffer.concat(
    [...before, slice].flatMap((unit) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(unit.length);
      return [length, unit];
    }),
  );
}

/** Source: ISO/IEC 14496-15, 5.3.3.1. */
function avcConfiguration(sequence: Buffer, picture: Buffer, colorDepth: number): Buffer {
  const sized = (unit: Buffer) => Buffer.concat([Buffer.of(unit.length >> 8, unit.length & 255), unit]);
  const depth = 0xf8 | (colorDepth - 8);
  return Buffer.concat([
    Buffer.of(1, ...sequence.subarray(1, 4), 0xff, 0xe1),
    sized(sequence),
    Buffer.of(1),
    sized(picture),
    Buffer.of(0xfd, depth, depth, 0),
  ]);
}
