import type { Size } from '../rendering/clip-size';

/** A track of consecutive samples of equal duration. One second has `timeScale` units of duration. */
export interface Track {
  readonly timeScale: number;
  readonly sampleDuration: number;
  readonly samples: readonly Buffer[];
}

export interface VideoTrack extends Track, Size {
  /** Content of the `avcC` box. */
  readonly configuration: Buffer;
  /** Indexes, from 0, of the samples at which decoding can start. */
  readonly keys: readonly number[];
}

/** AAC, stereo. */
export interface AudioTrack extends Track {
  /** AAC's AudioSpecificConfig. */
  readonly configuration: Buffer;
}

export interface Movie {
  readonly container: 'mp4' | 'mov';
  readonly video: VideoTrack;
  readonly audio?: AudioTrack;
}

/** Time scale of durations in the headers of the movie and its tracks. The media of a track has its own time scale. */
const TIME_SCALE = 48_000;
const BRANDS = { mp4: ['isom', 'isomavc1mp41'], mov: ['qt  ', 'qt  '] } as const;
const UNITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/**
 * Encodes tracks as an MP4 or MOV file with the tables before the data. The same tracks give the same bytes.
 *
 * Source: ISO/IEC 14496-12.
 */
export function writeMovie({ container, video, audio }: Movie): Buffer {
  const [major, compatible] = BRANDS[container];
  const start = box('ftyp', text(major), u32(512), text(compatible));
  const data = [video, ...(audio ? [audio] : [])].map(({ samples }) => Buffer.concat(samples));
  const tables = (dataStart: number) => {
    const audioStart = dataStart + (data[0]?.length ?? 0);
    const tracks = [videoBox(video, dataStart), ...(audio ? [audioBox(audio, audioStart)] : [])];
    const durations = [video, ...(audio ? [audio] : [])].map(movieDuration);
    return box('moov', movieHeader(Math.max(...durations), tracks.length + 1), ...tracks);
  };
  // The size of the tables does not depend on the data's offset.
  const dataStart = start.length + tables(0).length + 8;
  return Buffer.concat([start, tables(dataStart), box('mdat', ...data)]);
}

function videoBox(track: VideoTrack, dataStart: number): Buffer {
  const { width, height, configuration, keys } = track;
  const entry = box(
    'avc1',
    ...[zeroes(6), u16(1), zeroes(16), u16(width), u16(height), u32(0x480000, 0x480000, 0), u16(1)],
    ...[zeroes(32), u16(24), u16(0xffff), box('avcC', configuration)],
  );
  const sync = box('stss', u32(0, keys.length), u32(...keys.map((key) => key + 1)));
  return trackBox({ id: 1, handler: 'vide', size: track, volume: 0, track, dataStart }, [
    box('vmhd', u32(1), zeroes(8)),
    entry,
    sync,
  ]);
}

function audioBox(track: AudioTrack, dataStart: number): Buffer {
  const { timeScale, configuration } = track;
  const decoder = descriptor(4, Buffer.of(0x40, 0x15), zeroes(11), descriptor(5, configuration));
  const stream = descriptor(3, u16(2), zeroes(1), decoder, descriptor(6, Buffer.of(2)));
  const entry = box(
    'mp4a',
    ...[zeroes(6), u16(1), zeroes(8), u16(2), u16(16), zeroes(4), u16(timeScale), u16(0), box('esds', u32(0), stream)],
  );
  const size = { width: 0, height: 0 };
  return trackBox({ id: 2, handler: 'soun', size, volume: 0x100, track, dataStart }, [box('smhd', zeroes(8)), entry]);
}

interface TrackOptions {
  readonly id: number;
  readonly handler: 'vide' | 'soun';
  readonly size: Size;
  readonly volume: number;
  readonly track: Track;
  readonly dataStart: number;
}

function trackBox(options: TrackOptions, [mediaHeader, entry, sync]: readonly Buffer[]): Buffer {
  const { id, handler, size, volume, track, dataStart } = options;
  const { timeScale, sampleDuration, samples } = track;
  const none = Buffer.alloc(0);
  const table = box(
    'stbl',
    box('stsd', u32(0, 1), entry ?? none),
    box('stts', u32(0, 1, samples.length, sampleDuration)),
    sync ?? none,
    box('stsc', u32(0, 1, 1, samples.length, 1)),
    box('stsz', u32(0, 0, samples.length), u32(...samples.map(({ length }) => length))),
    box('stco', u32(0, 1, dataStart)),
  );
  const sources = box('dinf', box('dref', u32(0, 1), box('url ', u32(1))));
  const media = box(
    'mdia',
    box('mdhd', u32(0, 0, 0, timeScale, samples.length * sampleDuration), u16(0x55c4), u16(0)),
    box('hdlr', u32(0, 0), text(handler), zeroes(13)),
    box('minf', mediaHeader ?? none, sources, table),
  );
  const header = box(
    'tkhd',
    ...[u32(3, 0, 0, id, 0, movieDuration(track)), zeroes(12), u16(volume), u16(0)],
    ...[u32(...UNITY), u32(size.width * 0x10000, size.height * 0x10000)],
  );
  return box('trak', header, media);
}

function movieHeader(duration: number, nextTrack: number): Buffer {
  const matrix = u32(...UNITY);
  return box(
    'mvhd',
    u32(0, 0, 0, TIME_SCALE, duration, 0x10000),
    u16(0x100),
    zeroes(10),
    matrix,
    zeroes(24),
    u32(nextTrack),
  );
}

function movieDuration({ samples, sampleDuration, timeScale }: Track): number {
  return Math.round((samples.length * sampleDuration * TIME_SCALE) / timeScale);
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const size = parts.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(size), text(type), ...parts]);
}

/** Source: ISO/IEC 14496-1, 7.2.6. */
function descriptor(tag: number, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, data.length), data]);
}

function text(letters: string): Buffer {
  return Buffer.from(letters, 'latin1');
}

function zeroes(count: number): Buffer {
  return Buffer.alloc(count);
}

function u16(value: number): Buffer {
  return Buffer.of(value >>> 8, value & 255);
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}
