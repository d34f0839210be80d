import type { InputVideoTrack } from 'mediabunny';
import { type MediaInfo, NOTHING_KNOWN } from '../media-info';
import { type Container, withContainer } from './container';
import { promisesTooMuch } from './sample-tables';

/** 8K, with room for unusual aspect ratios: the most that H.264 allows. Larger frames fill memory. */
const MOST_PIXELS = 8192 * 4352;

/** No usual film is longer. Processing time grows with the stated length, and a small file can state any length. */
const MOST_HOURS = 6;

/**
 * Describes a media file. For a refused file, returns the reason in words, such as `no media` if the file is incomplete
 * or cannot be opened as media.
 *
 * @throws the system's error if the file cannot be read.
 */
export async function describe(path: string): Promise<MediaInfo | string> {
  try {
    if (await promisesTooMuch(path)) return 'media that promises more samples than it has bytes';
    const info = await withContainer(path, describeContainer);
    return info === null ? 'no media' : (refusal(info) ?? info);
  } catch (error) {
    if (isOfSystem(error)) throw error;
    return 'no media';
  }
}

/** True if the disk or the system caused the error. Such an error says nothing about the file. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/**
 * The reason to refuse a file; undefined if the file is accepted. A codec that mediabunny cannot name must not reach a
 * decoder: rare decoders are badly maintained.
 */
function refusal({ kind, videoCodec, audioCodec, width, height, durationSeconds }: MediaInfo): string | undefined {
  if ((kind === 'video' ? videoCodec : audioCodec) === null) return `${kind} of a codec that is not accepted`;
  if ((width ?? 0) * (height ?? 0) > MOST_PIXELS) return `video of ${width} × ${height} pixels, more than 8K has`;
  const hours = (durationSeconds ?? 0) / 3600;
  if (hours > MOST_HOURS) return `${kind} of ${Math.round(hours)} hours, more than ${MOST_HOURS}`;
  return undefined;
}

async function describeContainer({ mimeType, video, audio, isWhole }: Container): Promise<MediaInfo | null> {
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

/**
 * The bits per channel that a codec string states; null if unknown.
 *
 * Source: RFC 6381 for avc1, ISO/IEC 14496-15 for hvc1, the VP9 and AV1 bindings.
 */
function colorDepth(codec: string): 8 | 10 | null {
  const parts = codec.split('.');
  const [name = '', profile = ''] = parts;
  if (name === 'vp8') return 8;
  if (/^avc[13]$/.test(name)) return AVC_DEPTHS[profile.slice(0, 2).toLowerCase()] ?? null;
  if (/^h(vc|ev)1$/.test(name)) return HEVC_DEPTHS[profile] ?? null;
  if (/^(vp09|av01)$/.test(name)) return parts[3] === '08' ? 8 : parts[3] === '10' ? 10 : null;
  return null;
}

/** By profile_idc: Baseline, Main, Extended and High have 8 bits; High 10 is used for 10 bits. */
const AVC_DEPTHS: Readonly<Record<string, 8 | 10>> = { '42': 8, '4d': 8, '58': 8, '64': 8, '6e': 10 };

/** By general_profile_idc: Main and Main 10. */
const HEVC_DEPTHS: Readonly<Record<string, 8 | 10>> = { '1': 8, '2': 10 };
