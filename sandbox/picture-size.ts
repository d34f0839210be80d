import type { Size } from './clip-size';

/** Reads the size of a PNG, JPEG, GIF or WebP from its head; undefined where the head does not hold it. */
export function pictureSize(bytes: Buffer): Size | undefined {
  try {
    if (bytes.toString('latin1', 1, 4) === 'PNG') return size(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
    if (bytes.toString('latin1', 0, 3) === 'GIF') return size(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
    if (bytes.toString('latin1', 8, 12) === 'WEBP') return webpSize(bytes);
    return jpegSize(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function webpSize(bytes: Buffer): Size | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return size((packed & 0x3fff) + 1, ((packed >> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}

/** Walks a JPEG's segments to the frame header, the one whose marker is SOF0 to SOF15 without DHT, JPG and DAC. */
function jpegSize(bytes: Buffer): Size | undefined {
  let offset = 2;
  while (bytes.readUInt8(offset) === 0xff) {
    const marker = bytes.readUInt8(offset + 1);
    const isFrameHeader = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrameHeader) return size(bytes.readUInt16BE(offset + 7), bytes.readUInt16BE(offset + 5));
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return undefined;
}

function size(width: number, height: number): Size | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined;
}
