import { open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFfmpeg, NotMediaError, probe, runFfmpeg } from '../../media';
import { describeFile } from '../../media/prober/prober';
import { temporaryFolder } from '../support/temporary-folder';
import { makeClip } from './fixtures';

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await temporaryFolder();
});

async function render(name: string, ...args: readonly string[]): Promise<string> {
  await runFfmpeg(await findFfmpeg(), [...args, at(name)]);
  return at(name);
}

describe('probe of video', () => {
  it('reports size, length, rate, codecs and depth of an mp4 with sound', async () => {
    const path = await makeClip(at('clip.mp4'), { frames: 48, soundSeconds: 2 });
    expect(await probe(path)).toEqual({
      kind: 'video',
      mediaType: 'video/mp4',
      durationSeconds: expect.closeTo(2, 1) as number,
      videoDurationSeconds: 2,
      width: 320,
      height: 180,
      frameRate: 24,
      videoCodec: 'avc',
      audioCodec: 'aac',
      colorDepth: 8,
    });
  });

  it('knows ten bits, a fractional rate and QuickTime', async () => {
    const path = await makeClip(at('deep.mov'), { pixelFormat: 'yuv420p10le', frameRate: '30000/1001', frames: 30 });
    const info = await probe(path);
    expect(info).toMatchObject({ mediaType: 'video/quicktime', colorDepth: 10, audioCodec: null });
    expect(info.frameRate).toBeCloseTo(29.97, 3);
  });

  it('knows WebM', async () => {
    const path = await makeClip(at('clip.webm'), { codec: ['-c:v', 'libvpx', '-deadline', 'realtime'] });
    expect(await probe(path)).toMatchObject({ kind: 'video', mediaType: 'video/webm', videoCodec: 'vp8' });
  });

  it('does not blame a file that cannot be read', async () => {
    await expect(describeFile(folder)).rejects.toThrow(`${folder} cannot be read: Error: EISDIR`);
    await expect(describeFile(at('missing.mp4'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('goes by content, not by name', async () => {
    await writeFile(at('clip.png'), await readFile(await makeClip(at('named.mp4'))));
    expect(await probe(at('clip.png'))).toMatchObject({ kind: 'video', mediaType: 'video/mp4' });
  });

  it('distinguishes the length of the picture from that of longer sound', async () => {
    const path = await makeClip(at('long-sound.mp4'), { frames: 24, soundSeconds: 3 });
    const info = await probe(path);
    expect(info.videoDurationSeconds).toBe(1);
    expect(info.durationSeconds).toBeCloseTo(3, 1);
  });

  it('reports the displayed size if pixels are not square', async () => {
    const path = await makeClip(at('wide.mp4'), { extra: ['-vf', 'setsar=2'] });
    expect(await probe(path)).toMatchObject({ width: 640, height: 180 });
  });

  it('reports the displayed size if the picture is rotated', async () => {
    const path = await makeClip(at('upright.mp4'));
    await turn(path);
    expect(await probe(path)).toMatchObject({ width: 180, height: 320 });
  });

  it('has no frame rate for a single frame', async () => {
    expect((await probe(await makeClip(at('still.mp4'), { frames: 1 }))).frameRate).toBeNull();
  });
});

describe('probe of audio', () => {
  it.each([
    ['sound.mp3', 'audio/mpeg', 'mp3'],
    ['sound.wav', 'audio/wav', 'pcm-s16'],
    ['sound.m4a', 'audio/mp4', 'aac'],
    ['sound.ogg', 'audio/ogg', 'vorbis'],
    ['sound.flac', 'audio/flac', 'flac'],
  ])('knows %s', async (name, mediaType, audioCodec) => {
    const info = await probe(await render(name, '-f', 'lavfi', '-i', 'sine=duration=2'));
    expect(info).toMatchObject({ kind: 'audio', mediaType, audioCodec, width: null, videoDurationSeconds: null });
    expect(info.durationSeconds).toBeCloseTo(2, 0);
  });
});

describe('probe of images', () => {
  it.each([
    ['picture.png', 'image/png', []],
    ['picture.jpg', 'image/jpeg', []],
    ['picture.webp', 'image/webp', []],
    ['lossless.webp', 'image/webp', ['-lossless', '1']],
    ['picture.gif', 'image/gif', []],
  ])('knows %s', async (name, mediaType, options) => {
    const path = await render(name, '-f', 'lavfi', '-i', 'testsrc2=size=322x180', '-frames:v', '1', ...options);
    expect(await probe(path)).toMatchObject({
      kind: 'image',
      mediaType,
      width: 322,
      height: 180,
      durationSeconds: null,
    });
  });

  it.each([['whole.png'], ['whole.jpg'], ['whole.webp'], ['whole.gif']])(
    'refuses %s when it is truncated anywhere after its header, but not because of trailing data',
    async (name) => {
      const path = await render(name, '-f', 'lavfi', '-i', 'testsrc2=size=320x180', '-frames:v', '1');
      const whole = await readFile(path);
      for (const share of [0.4, 0.7, 0.99]) {
        await writeFile(at('cut'), whole.subarray(0, Math.floor(whole.length * share)));
        await expect(probe(at('cut'))).rejects.toMatchObject({ looksLike: 'media that is cut off or damaged' });
      }
      await writeFile(at('followed'), Buffer.concat([whole, Buffer.alloc(9)]));
      expect(await probe(at('followed'))).toMatchObject({ kind: 'image', width: 320 });
    },
  );

  it.each([[true], [false]])(
    'keeps no image in memory, and knows whether one of 3 GB is complete: %s',
    async (isWhole) => {
      const small = await readFile(
        await render('small.png', '-f', 'lavfi', '-i', 'testsrc2=size=320x180', '-frames:v', '1'),
      );
      const dataBytes = 1_500_000_000;
      const data = Buffer.from('0000000049444154', 'hex');
      data.writeUInt32BE(dataBytes);
      // Signature and header, two chunks of data, which the file system does not store, and the end.
      const file = await open(at('huge.png'), 'w');
      await file.write(small, 0, 33, 0);
      await file.write(data, 0, 8, 33);
      await file.write(data, 0, 8, 33 + 12 + dataBytes);
      const end = 33 + 2 * (12 + dataBytes);
      if (isWhole) await file.write(small, small.length - 12, 12, end);
      else await file.truncate(end);
      await file.close();
      const found = probe(at('huge.png'));
      if (isWhole) expect(await found).toMatchObject({ kind: 'image', width: 320 });
      else await expect(found).rejects.toMatchObject({ looksLike: 'media that is cut off or damaged' });
    },
  );

  it('swaps the size of a JPEG according to its Exif orientation', async () => {
    const jpeg = await readFile(
      await render('plain.jpg', '-f', 'lavfi', '-i', 'testsrc2=size=320x180', '-frames:v', '1'),
    );
    const tiff = Buffer.from('4d4d002a00000008000101120003000000010006000000000000', 'hex');
    const segment = Buffer.concat([Buffer.from('ffe10022', 'hex'), Buffer.from('Exif\0\0'), tiff]);
    const xmp = Buffer.concat([Buffer.from('ffe1000a', 'hex'), Buffer.from('http://x')]);
    await writeFile(at('turned.jpg'), Buffer.concat([jpeg.subarray(0, 2), segment, xmp, jpeg.subarray(2)]));
    expect(await probe(at('turned.jpg'))).toMatchObject({ width: 180, height: 320 });
  });

  it.each([
    ['empty', ''],
    ['cut off', '4d4d00'],
    ['pointing beyond its segment', '4d4d002a00ffffff'],
  ])('reads a JPEG whose Exif data are %s', async (_what, tiff) => {
    const jpeg = await readFile(
      await render('plain.jpg', '-f', 'lavfi', '-i', 'testsrc2=size=320x180', '-frames:v', '1'),
    );
    const data = Buffer.concat([Buffer.from('Exif\0\0'), Buffer.from(tiff, 'hex')]);
    const head = Buffer.from(`ffe1${(data.length + 2).toString(16).padStart(4, '0')}`, 'hex');
    await writeFile(at('odd.jpg'), Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]));
    expect(await probe(at('odd.jpg'))).toMatchObject({ kind: 'image', width: 320, height: 180 });
  });

  it('reads a JPEG with megabytes of metadata', async () => {
    const jpeg = await readFile(
      await render('plain.jpg', '-f', 'lavfi', '-i', 'testsrc2=size=320x180', '-frames:v', '1'),
    );
    const segment = Buffer.concat([Buffer.from('ffebffff', 'hex'), Buffer.alloc(0xfffd, 'JUMBF')]);
    const metadata = Array.from({ length: 40 }, () => segment);
    await writeFile(at('credentials.jpg'), Buffer.concat([jpeg.subarray(0, 2), ...metadata, jpeg.subarray(2)]));
    expect(await probe(at('credentials.jpg'))).toMatchObject({ kind: 'image', width: 320, height: 180 });
  });
});

describe('probe of a file that is not media', () => {
  it.each([
    ['an HTML page', '<!DOCTYPE html><html><body>Sign in</body></html>'],
    ['JSON', '{"status":"error"}'],
    ['text', 'just a line\n'],
    ['XML', '<?xml version="1.0"?><Error/>'],
    ['an empty file', ''],
    ['a PDF', '%PDF-1.7\n'],
    ['media that is cut off or damaged', '\x89PNG\r\n\x1a\n\0\0'],
    ['unknown bytes (0001020304050607)', '\0\x01\x02\x03\x04\x05\x06\x07'],
  ])('says that it looks like %s', async (looksLike, content) => {
    await writeFile(at('other'), content, 'latin1');
    const refusal = await probe(at('other')).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(NotMediaError);
    expect(refusal).toMatchObject({ looksLike });
  });

  it('opens no file that a playlist names', async () => {
    const clip = await makeClip(at('listed.mp4'));
    await writeFile(at('list.mp4'), `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${clip}\n#EXT-X-ENDLIST\n`);
    await expect(probe(at('list.mp4'))).rejects.toMatchObject({ looksLike: 'a playlist' });
  });

  it.each([
    ['index at the end', []],
    ['index at the start', ['-movflags', '+faststart']],
  ])('refuses a truncated clip, with its %s', async (_where, extra) => {
    const path = await makeClip(at('cut-off.mp4'), { frames: 96, extra });
    const { length } = await readFile(path);
    await truncate(path, Math.round(length * 0.7));
    await expect(probe(path)).rejects.toMatchObject({ looksLike: 'media that is cut off or damaged' });
  });

  it('reports that a file does not exist', async () => {
    await expect(probe(at('nowhere.mp4'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

/** Rotates a clip by 90° in its track header, as phones do; the option differs between versions of ffmpeg. */
async function turn(path: string): Promise<void> {
  const bytes = await readFile(path);
  const matrix = bytes.indexOf('tkhd') + 4 + 4 + 5 * 4 + 16;
  const file = await open(path, 'r+');
  try {
    for (const [index, value] of [0, 0x10000, 0, -0x10000, 0, 0, 180 * 0x10000, 0, 0x40000000].entries()) {
      const word = Buffer.alloc(4);
      word.writeInt32BE(value);
      await file.write(word, 0, 4, matrix + index * 4);
    }
  } finally {
    await file.close();
  }
}
