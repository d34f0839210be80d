/** Bytes to read from a file: enough for each header below, and for the usual metadata before a JPEG's frame header. */
export const IMAGE_HEADER_BYTES = 256 * 1024;

/**
 * Bytes to read from a JPEG whose frame header is not in the first `IMAGE_HEADER_BYTES`. Content credentials (C2PA)
 * with thumbnails, and color profiles, may take megabytes.
 */
export const JPEG_HEADER_BYTES = 16 * 1024 * 1024;

export interface ImageHeader {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  readonly colorDepth: 8 | 10 | null;
}

/** Reads the header of a PNG, JPEG, WebP or GIF; undefined for anything else, a size of 0, or an incomplete header. */
export function readImageHeader(bytes: Buffer): ImageHeader | undefined {
  try {
    const header = readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes) ?? readGif(bytes);
    return header && header.width > 0 && header.height > 0 ? header : undefined;
  } catch (error) {
    if (isBeyondEnd(error)) return undefined;
    throw error;
  }
}

function isBeyondEnd(error: unknown): boolean {
  return ['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function text(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to);
}

function readPng(bytes: Buffer): ImageHeader | undefined {
  if (text(bytes, 0, 8) !== '\x89PNG\r\n\x1a\n' || text(bytes, 12, 16) !== 'IHDR') return undefined;
  return {
    mediaType: 'image/png',
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    colorDepth: bytes.readUInt8(24) === 8 ? 8 : null,
  };
}

function readGif(bytes: Buffer): ImageHeader | undefined {
  if (!/^GIF8[79]a$/.test(text(bytes, 0, 6))) return undefined;
  return { mediaType: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), colorDepth: 8 };
}

/** Source: RFC 9649, sections 2.4 to 2.7. */
function readWebp(bytes: Buffer): ImageHeader | undefined {
  if (text(bytes, 0, 4) !== 'RIFF' || text(bytes, 8, 12) !== 'WEBP') return undefined;
  const known = { mediaType: 'image/webp', colorDepth: 8 } as const;
  switch (text(bytes, 12, 16)) {
    case 'VP8 ':
      return { ...known, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { ...known, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { ...known, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

export function isJpeg(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8;
}

/** Walks the segments up to the frame header. Swaps width and height if the Exif orientation says so. */
function readJpeg(bytes: Buffer): ImageHeader | undefined {
  if (!isJpeg(bytes)) return undefined;
  let turned = false;
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    while (bytes.readUInt8(at + 1) === 0xff) at += 1;
    const marker = bytes.readUInt16BE(at);
    if (marker < 0xff01) return undefined;
    // APP1. A file may have several of these segments, for Exif and XMP.
    if (marker === 0xffe1) turned ||= isTurned(bytes.subarray(at + 4, at + 2 + bytes.readUInt16BE(at + 2)));
    if (isFrameHeader(marker)) {
      const height = bytes.readUInt16BE(at + 5);
      const width = bytes.readUInt16BE(at + 7);
      const size = turned ? { width: height, height: width } : { width, height };
      return { mediaType: 'image/jpeg', ...size, colorDepth: bytes.readUInt8(at + 4) === 8 ? 8 : null };
    }
  }
  return undefined;
}

/** True for SOF0 to SOF15, except three markers in that range with other meanings. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
}

/** True if the Exif orientation swaps width and height. False for damaged Exif data, as in browsers. */
function isTurned(segment: Buffer): boolean {
  if (text(segment, 0, 6) !== 'Exif\0\0') return false;
  try {
    return isTurnedInExif(segment);
  } catch (error) {
    if (isBeyondEnd(error)) return false;
    throw error;
  }
}

/** Source: Exif 2.32, tag 0x0112. @throws RangeError if the data points beyond the segment. */
function isTurnedInExif(segment: Buffer): boolean {
  const tiff = segment.subarray(6);
  const little = text(tiff, 0, 2) === 'II';
  const short = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let entry = 0; entry < short(directory); entry += 1) {
    const at = directory + 2 + entry * 12;
    if (short(at) === 0x0112) return short(at + 8) >= 5;
  }
  return false;
}
