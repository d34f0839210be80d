import { resolve } from 'node:path';
import type { MediaInfo } from './media-info';

/** Maximum number of pixels in a decoded frame: twice the pixels of 8K video, because some pictures are large. */
const MAX_DECODED_PIXELS = 8192 * 8192;

/**
 * Maximum ratio of a clip's coded pixels to the pixels that its container states. A higher ratio means that the stated
 * size is false.
 */
const CODED_PIXELS_SHARE = 4;

/** The limit for a clip is at least this many pixels, because small clips are coded in whole blocks. */
const LEAST_PIXELS = 512 * 512;

type Shape = Pick<MediaInfo, 'mediaType'> & Partial<Pick<MediaInfo, 'width' | 'height'>>;

/** ffmpeg's demuxer for each subtype of a media type. */
const DEMUXERS: Readonly<Record<string, string>> = {
  mp4: 'mov',
  quicktime: 'mov',
  webm: 'matroska',
  'x-matroska': 'matroska',
  mpeg: 'mp3',
  wav: 'wav',
  ogg: 'ogg',
  flac: 'flac',
  aac: 'aac',
  MP2T: 'mpegts',
  png: 'png_pipe',
  jpeg: 'jpeg_pipe',
  webp: 'webp_pipe',
  gif: 'gif',
};

/** Decoders of all codecs that the probe knows, by their names in ffmpeg builds of 2018 and later. */
const DECODERS = [
  ...['h264', 'hevc', 'vp8', 'libvpx', 'vp9', 'libvpx-vp9', 'av1', 'libdav1d', 'libaom-av1', 'prores'],
  ...['png', 'mjpeg', 'webp', 'gif'],
  ...['aac', 'libfdk_aac', 'mp3', 'mp3float', 'opus', 'libopus', 'vorbis', 'libvorbis', 'flac', 'ac3', 'eac3', 'dca'],
  ...['pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be', 'pcm_f32le', 'pcm_f32be'],
  ...['pcm_f64le', 'pcm_f64be', 'pcm_u8', 'pcm_s8', 'pcm_mulaw', 'pcm_alaw'],
].join(',');

/**
 * Arguments that make ffmpeg read a file only in the format that the probe found.
 *
 * A clip from outside must not make ffmpeg open an address or another file, or use a decoder that nobody maintains. See
 * docs/decisions/0044-hostile-media.md.
 *
 * @throws Error for a media type without a known demuxer.
 */
export function fileInput(path: string, shape: Shape): readonly string[] {
  const demuxer = demuxerOf(shape.mediaType);
  return ['-f', demuxer, ...readLimits(demuxer, shape), ...ownFile(path)];
}

/** Like `fileInput`, for a list that the concat demuxer reads. All listed files must have the media type of `shape`. */
export function listInput(list: string, shape: Shape): readonly string[] {
  const read = ['-f', 'concat', '-safe', '0', '-auto_convert', '0'];
  return [...read, ...readLimits(`concat,${demuxerOf(shape.mediaType)}`, shape), ...ownFile(list)];
}

/** Arguments to read a file of our own. Files from outside need the limits of `fileInput` or `listInput`. */
export function ownFile(path: string): readonly string[] {
  return ['-protocol_whitelist', 'file', '-i', `file:${resolve(path)}`];
}

function readLimits(formats: string, shape: Shape): readonly string[] {
  return ['-format_whitelist', formats, '-codec_whitelist', DECODERS, '-max_pixels', String(mostPixels(shape))];
}

/** Maximum number of pixels per frame. Decoders read the size from the stream; the container may state another size. */
function mostPixels({ width, height }: Shape): number {
  if (width == null || height == null) return MAX_DECODED_PIXELS;
  return Math.min(MAX_DECODED_PIXELS, Math.max(LEAST_PIXELS, CODED_PIXELS_SHARE * width * height));
}

function demuxerOf(mediaType: string): string {
  const demuxer = DEMUXERS[mediaType.replace(/^.*\//, '')];
  if (demuxer === undefined) throw new Error(`no demuxer is known for ${mediaType}`);
  return demuxer;
}
