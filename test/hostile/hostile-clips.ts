import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateSync } from 'node:zlib';
import { findFfmpeg } from '../../media';
import { openH264 } from '../../sandbox/plain/h264';
import { writeMovie } from '../../sandbox/plain/mp4';
import { temporaryFolder } from '../support/temporary-folder';

const CONTAINERS = ['moov', 'trak', 'mdia', 'minf', 'stbl'];

/** More samples than any memory holds. */
const ENDLESS = 0xffff_ffff;

const SIZE = { width: 320, height: 180 };

/**
 * An MP4 of one picture that repeats, 320 × 180 at 24 frames a second, some kilobytes in size.
 *
 * @param coded the size in the stream. Default: that which the container tells.
 */
export function plainClip(frames = 48, coded = SIZE): Buffer {
  const h264 = openH264({ ...coded, frameRate: 24, colorDepth: 8 });
  const samples = [
    h264.key([80, 120, 160]),
    ...Array.from({ length: frames - 1 }, (_, index) => h264.repeat(index + 1)),
  ];
  const { configuration } = h264;
  const video = { ...SIZE, timeScale: 24_000, sampleDuration: 1000, samples, configuration, keys: [0] };
  return writeMovie({ container: 'mp4', video });
}

/** The same clip with other tables. */
function withTables(movie: Buffer, tables: Readonly<Record<string, Buffer>>): Buffer {
  const changed = rebuilt(movie, tables);
  // The tables stand before the data, which has moved.
  const at = changed.indexOf('stco') + 12;
  changed.writeUInt32BE(changed.readUInt32BE(at) + changed.length - movie.length, at);
  return changed;
}

/** By name: an MP4 that is valid except for one table. */
export const DECEPTIVE: Readonly<Record<string, () => Buffer>> = {
  'stts with 4 billion samples': () => withTables(plainClip(), { stts: u32(0, 1, ENDLESS, 1), ctts: u32(0, 1, 48, 0) }),
  'ctts with 4 billion offsets, often': () =>
    withTables(plainClip(), { ctts: u32(0, 400, ...Array<number[]>(400).fill([ENDLESS, 0]).flat()) }),
  'stsc with 4 billion chunks': () => pcmWithChunks(ENDLESS),
  'stsz with 4 billion samples of one byte': () => withTables(plainClip(), { stsz: u32(0, 1, ENDLESS) }),
  // No table: only the limits of the process stop this one.
  'a fragment of 4 billion samples': () => fragmented(ENDLESS),
};

/** Reports one frame a second for 300 s, then has 4000 frames in the last four. */
export function crowdedEnd(): Buffer {
  return withTables(plainClip(4300), { stts: u32(0, 2, 300, 24_000, 4000, 24) });
}

/** A clip that ffmpeg renders in a codec that gateways do not send. */
export async function clipOf(codec: string, extension: string, args: readonly string[] = []): Promise<string> {
  const path = join(await temporaryFolder(), `${codec}.${extension}`);
  const { path: ffmpeg } = await findFfmpeg();
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=24:duration=0.2'];
  await promisify(execFile)(ffmpeg, ['-nostdin', '-y', ...source, '-c:v', codec, ...args, path]);
  return path;
}

/** A playlist that names a file and continues as MP3, so that a search for sound frames accepts it as both. */
export async function playlistWithSound(listed: string): Promise<Buffer> {
  const sound = join(await temporaryFolder(), 'sound.mp3');
  const { path: ffmpeg } = await findFfmpeg();
  await promisify(execFile)(ffmpeg, ['-nostdin', '-f', 'lavfi', '-i', 'sine=duration=2', '-write_xing', '0', sound]);
  const list = `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${listed}\n#EXT-X-ENDLIST\n#`;
  return Buffer.concat([Buffer.from(list), await readFile(sound)]);
}

/** A black square of one bit a pixel, which fills some kilobytes. */
export function monochromePng(pixels: number): Buffer {
  const header = Buffer.concat([u32(pixels, pixels), Buffer.of(1, 0, 0, 0, 0)]);
  const rows = deflateSync(Buffer.alloc(pixels * (1 + Math.ceil(pixels / 8))));
  const chunks = Object.entries({ IHDR: header, IDAT: rows, IEND: Buffer.alloc(0) }).map(([name, data]) => {
    const named = Buffer.concat([Buffer.from(name), data]);
    return Buffer.concat([u32(data.length), named, u32(crc32(named))]);
  });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

/** Sound that is not compressed, with a table that puts its samples into as many chunks. */
function pcmWithChunks(chunks: number): Buffer {
  const entry = Buffer.concat([Buffer.alloc(6), u16(1), Buffer.alloc(8), u16(2, 16), Buffer.alloc(4), u16(48_000, 0)]);
  const sowt = box('sowt', entry);
  return withTables(plainClip(), {
    stsd: Buffer.concat([u32(0, 1), sowt]),
    stsc: u32(0, 2, 1, 1, 1, chunks, 1, 1),
    hdlr: Buffer.concat([u32(0, 0), Buffer.from('soun'), Buffer.alloc(13)]),
  });
}

function fragmented(samples: number): Buffer {
  const none = { stts: u32(0, 0), stsc: u32(0, 0), stsz: u32(0, 0, 0), stss: u32(0, 0), stco: u32(0, 0) };
  const whole = rebuilt(plainClip(), none);
  const start = whole.subarray(0, whole.indexOf('mdat') - 4);
  const extends_ = box('mvex', box('trex', u32(0, 1, 1, 1000, 10, 0)));
  const movie = start.indexOf('moov') - 4;
  const header = Buffer.concat([start.subarray(movie + 8), extends_]);
  const track = box('traf', box('tfhd', u32(0x020000, 1)), box('tfdt', u32(0, 0)), box('trun', u32(0, samples)));
  const fragment = box('moof', box('mfhd', u32(0, 1)), track);
  return Buffer.concat([start.subarray(0, movie), box('moov', header), fragment, box('mdat', Buffer.alloc(4000))]);
}

/** Puts the contents of boxes in place of those that are there; what is not there is added to the sample table. */
function rebuilt(bytes: Buffer, contents: Readonly<Record<string, Buffer>>): Buffer {
  const boxes: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + bytes.readUInt32BE(at));
    const inner = CONTAINERS.includes(name) ? rebuilt(content, contents) : (contents[name] ?? content);
    const added = name === 'stbl' && contents['ctts'] !== undefined ? [box('ctts', contents['ctts'])] : [];
    boxes.push(box(name, inner, ...added));
  }
  return Buffer.concat(boxes);
}

function box(name: string, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([u32(8 + content.length), Buffer.from(name, 'latin1'), content]);
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function u16(...values: readonly number[]): Buffer {
  return Buffer.concat(values.map((value) => Buffer.of(value >>> 8, value & 255)));
}
