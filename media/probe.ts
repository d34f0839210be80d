import { type FileHandle, open } from 'node:fs/promises';
import { IMAGE_HEADER_BYTES, isJpeg, JPEG_HEADER_BYTES, readImageHeader } from './image-header';
import { type MediaInfo, NOTHING_KNOWN } from './media-info';
import { describeFile } from './prober/prober';
import { isWholeImage } from './whole-image';

export type { MediaInfo };

const CUT_OFF = 'media that is cut off or damaged';

/** The bytes are no usable video, audio or image. The message names the type that they look like, or the defect. */
export class NotMediaError extends Error {
  override readonly name = 'NotMediaError';

  constructor(
    readonly path: string,
    /** The type or the defect in words, such as `an HTML page`. */
    readonly looksLike: string,
  ) {
    super(`${path} is not a usable video, audio file or image: it looks like ${looksLike}`);
  }
}

/**
 * Determines what a file contains from its content, not its name.
 *
 * Reads the headers and the sample table. To find truncated files, looks for the last packet of each main track, or for
 * the end of the image. Video and audio are read in a separate process with limits on time and memory, since a small
 * crafted file could otherwise use any amount of both.
 *
 * @throws NotMediaError, also for a file that exceeds the limits; the system's error if the file cannot be read; Error
 *   if the separate process failed, which proves nothing about the file.
 */
export async function probe(path: string): Promise<MediaInfo> {
  const { start, image, isCutOff } = await readStart(path);
  if (isCutOff) throw new NotMediaError(path, CUT_OFF);
  if (image) return { ...NOTHING_KNOWN, kind: 'image', ...image };

  // Refuse every playlist: a program that reads the file as a playlist opens the files that it names.
  if (isPlaylist(start)) throw new NotMediaError(path, 'a playlist');
  const found = await describeFile(path);
  if (typeof found === 'object') return found;
  throw new NotMediaError(path, found === 'no media' ? looksLike(start) : found);
}

async function readStart(path: string) {
  const file = await open(path);
  try {
    const start = await readFirst(file, IMAGE_HEADER_BYTES);
    const image =
      readImageHeader(start) ?? (isJpeg(start) ? readImageHeader(await readFirst(file, JPEG_HEADER_BYTES)) : undefined);
    return { start, image, isCutOff: image !== undefined && !(await isWholeImage(file, image.mediaType)) };
  } finally {
    await file.close();
  }
}

/** The first `most` bytes of a file, or the whole file if it is shorter. */
async function readFirst(file: FileHandle, most: number): Promise<Buffer> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, most)), { position: 0 });
  return buffer.subarray(0, bytesRead);
}

function isPlaylist(start: Buffer): boolean {
  return /^(#EXTM3U|ffconcat)/.test(start.toString('latin1', 0, 1024).trimStart());
}

function looksLike(start: Buffer): string {
  if (start.length === 0) return 'an empty file';
  const text = start.toString('latin1').trimStart();
  if (/^<(!doctype html|html)/i.test(text)) return 'an HTML page';
  if (/^<(\?xml|svg)/i.test(text)) return 'XML';
  if (/^[{[]/.test(text)) return 'JSON';
  if (text.startsWith('%PDF')) return 'a PDF';
  if (text.startsWith('PK\x03\x04')) return 'a ZIP archive';
  if (MEDIA_STARTS.some((pattern) => pattern.test(start.toString('latin1')))) return CUT_OFF;
  if (!/[^\t\n\r\x20-\x7e\xa0-\xff]/.test(text)) return 'text';
  return `unknown bytes (${start.subarray(0, 8).toString('hex')})`;
}

const MEDIA_STARTS = [
  /^.{4}(ftyp|moov|mdat|wide)/s,
  /^\x1aE\xdf\xa3/,
  /^RIFF/,
  /^ID3/,
  /^OggS/,
  /^fLaC/,
  /^\x89PNG/,
  /^\xff\xd8/,
  /^GIF8/,
];
