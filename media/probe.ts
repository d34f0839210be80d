import { open } from 'node:fs/promises';
import type { InputVideoTrack } from 'mediabunny';
import { IMAGE_HEADER_BYTES, readImageHeader } from './image-header';
import type { Container } from './container';

export interface MediaInfo {
  readonly kind: 'video' | 'audio' | 'image';
  readonly mediaType: string;
  readonly durationSeconds: number | null;
  /** As displayed: turned and in square pixels. */
  readonly width: number | null;
  readonly height: number | null;
  /** Frames per second; null where there are fewer than two frames. */
  readonly frameRate: number | null;
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  /** Bits per channel; null where the codec does not say. */
  readonly colorDepth: 8 | 10 | null;
  /** End of the last frame; sound may go on for longer. */
  readonly videoDurationSeconds: number | null;
}

/** The bytes are no video, audio or image that can be read. The message says what they look like. */
export class NotMediaError extends Error {
  override readonly name = 'NotMediaError';

  constructor(
    readonly path: string,
    /** In words, such as `an HTML page`. */
    readonly looksLike: string,
  ) {
    super(`${path} is no video, audio or image: it looks like ${looksLike}`);
  }
}

/**
 * Tells what a file holds by its content; its name does not count.
 *
 * Reads headers and the sample table, and the last packet so that a file which was cut off shows.
 *
 * @throws NotMediaError, and the system's error where the file cannot be read.
 */
export async function probe(path: string): Promise<MediaInfo> {
  const start = await readStart(path);
  const image = readImageHeader(start);
  if (image) return { ...NOTHING_KNOWN, kind: 'image', ...image };

  // Loaded only here, since it takes long to load and a picture does not need it.
  const { withContainer } = await import('./container.js');
  const info = await withContainer(path, describe).catch(() => null);
  if (!info) throw new NotMediaError(path, looksLike(start));
  return info;
}

const NOTHING_KNOWN = {
  durationSeconds: null,
  width: null,
  height: null,
  frameRate: null,
  videoCodec: null,
  audioCodec: null,
  colorDepth: null,
  videoDurationSeconds: null,
} satisfies Partial<MediaInfo>;

async function describe({ mimeType, video, audio, isWhole }: Container): Promise<MediaInfo | null> {
  if ((!video && !audio) || !(await isWhole())) return null;

  const audioSeconds = (await audio?.computeDuration()) ?? 0;
  const heard = { audioCodec: (await audio?.getCodec()) ?? null };
  if (!video) {
    return { ...NOTHING_KNOWN, ...heard, kind: 'audio', mediaType: audioType(mimeType), durationSeconds: audioSeconds };
  }
  const videoSeconds = await video.computeDuration();
  return {
    ...heard,
    kind: 'video',
    mediaType: mimeType,
    durationSeconds: Math.max(videoSeconds, audioSeconds),
    width: await video.getDisplayWidth(),
    height: await video.getDisplayHeight(),
    frameRate: await frameRate(video),
    videoCodec: await video.getCodec(),
    colorDepth: colorDepth((await video.getCodecParameterString()) ?? ''),
    videoDurationSeconds: videoSeconds,
  };
}

function audioType(mimeType: string): string {
  return mimeType === 'application/ogg' ? 'audio/ogg' : mimeType.replace(/^video\//, 'audio/');
}

async function frameRate(video: InputVideoTrack): Promise<number | null> {
  const { probedPacketCount, bestGuessFrameRate } = await video.computeFrameRateMetrics();
  return probedPacketCount < 2 ? null : bestGuessFrameRate;
}

/** Reads the depth out of a codec string. Source: RFC 6381 for avc1, ISO/IEC 14496-15 for hvc1, the VP9 and AV1 bindings. */
function colorDepth(codec: string): 8 | 10 | null {
  const parts = codec.split('.');
  const [name = '', profile = ''] = parts;
  if (name === 'vp8') return 8;
  if (/^avc[13]$/.test(name)) return AVC_DEPTHS[profile.slice(0, 2).toLowerCase()] ?? null;
  if (/^h(vc|ev)1$/.test(name)) return HEVC_DEPTHS[profile] ?? null;
  if (/^vp09|av01$/.test(name)) return parts[3] === '08' ? 8 : parts[3] === '10' ? 10 : null;
  return null;
}

/** By profile_idc: Baseline, Main, Extended and High hold 8 bits, High 10 is used for 10. */
const AVC_DEPTHS: Readonly<Record<string, 8 | 10>> = { '42': 8, '4d': 8, '58': 8, '64': 8, '6e': 10 };

/** By general_profile_idc: Main and Main 10. */
const HEVC_DEPTHS: Readonly<Record<string, 8 | 10>> = { '1': 8, '2': 10 };

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(IMAGE_HEADER_BYTES), 0, IMAGE_HEADER_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function looksLike(start: Buffer): string {
  if (start.length === 0) return 'an empty file';
  const text = start.toString('latin1').trimStart();
  if (/^<(!doctype html|html)/i.test(text)) return 'an HTML page';
  if (/^<(\?xml|svg)/i.test(text)) return 'XML';
  if (/^[{[]/.test(text)) return 'JSON';
  if (text.startsWith('%PDF')) return 'a PDF';
  if (text.startsWith('PK\x03\x04')) return 'a ZIP archive';
  if (text.startsWith('#EXTM3U')) return 'a playlist';
  if (MEDIA_STARTS.some((pattern) => pattern.test(start.toString('latin1')))) return 'media that is cut off or damaged';
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
