import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FfmpegError, findFfmpeg, firstFrame, lastFrame, NotMediaError, probe, runFfmpeg } from '../../media';
import { fileInput, listInput } from '../../media/file-input';
import { describeFile } from '../../media/prober/prober';
import { listEntry } from '../../media/join';
import { scriptedFfmpeg } from '../media/fixtures';
import { dailies } from '../scripts/command';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { clipOf, crowdedEnd, DECEPTIVE, monochromePng, plainClip, playlistWithSound } from './hostile-clips';

const execute = promisify(execFile);

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await temporaryFolder();
});

describe('a clip whose tables are made to fill memory', () => {
  it.each(Object.entries(DECEPTIVE))('is not media: %s', async (_what, make) => {
    await writeFile(at('deceptive.mp4'), make());
    await writeFile(at('plain.mp4'), plainClip());
    const [refusal, other] = await Promise.all([
      probe(at('deceptive.mp4')).catch((error: unknown) => error),
      probe(at('plain.mp4')),
    ]);
    expect(refusal).toBeInstanceOf(NotMediaError);
    expect(other).toMatchObject({ kind: 'video', durationSeconds: 2 });
    expect(await probe(at('plain.mp4'))).toEqual(other);
  });

  it('is refused in a production file, with its position', async () => {
    await writeFile(at('reference.mp4'), DECEPTIVE['stts with 4 billion samples']?.() ?? '');
    const shot = { id: 'a', model: 'beta-video', prompt: 'x', duration: 4, videoUrls: ['reference.mp4'] };
    await writeFile(at('film.json'), JSON.stringify({ title: 'Film', shots: [shot] }));
    const { exitCode, stderr, stdout } = await dailies(['validate', 'film.json'], { folder });
    expect(exitCode).toBe(2);
    expect(stdout + stderr).toMatch(/film\.json:1:\d+.*reference\.mp4/);
  });
});

describe('a probe process that is killed by another process', () => {
  it('decides nothing about the clip: the probe fails, and the clip is not refused', async () => {
    // Nothing writes to it, so the probe blocks.
    await execute('mkfifo', [at('still.mp4')]);
    const look = describeFile(at('still.mp4')).catch((error: unknown) => error);
    let isOver = false;
    void look.then(() => (isOver = true));
    await until(async () => {
      for (const pid of await probers()) process.kill(pid, 'SIGKILL');
      return isOver;
    });
    expect(await look).toBeInstanceOf(Error);
  });

  /** The ids of this process's children that probe media. */
  async function probers(): Promise<readonly number[]> {
    const { stdout } = await execute('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]);
    return stdout.split('\n').flatMap((line) => (line.includes('prober/main.js') ? [Number.parseInt(line)] : []));
  }
});

describe('a codec that gateways do not send', () => {
  it.each([
    ['cinepak', 'mov', [], 'video/quicktime'],
    ['zmbv', 'mkv', [], 'video/x-matroska'],
    ['snow', 'mkv', ['-strict', '-2'], 'video/x-matroska'],
  ])('%s is not media, and no decoder reads it', async (codec, extension, args, mediaType) => {
    const clip = await clipOf(codec, extension, args);
    const ffmpeg = await findFfmpeg();
    await expect(firstFrame(ffmpeg, clip, at('never.png'))).rejects.toThrow(NotMediaError);
    const decode = runFfmpeg(ffmpeg, [...fileInput(clip, { mediaType }), '-f', 'null', '-']);
    await expect(decode).rejects.toThrow(/whitelist/i);
  });
});

describe('a playlist that looks like sound', () => {
  let playlist: string;
  beforeAll(async () => {
    await writeFile(at('private.mp4'), plainClip());
    playlist = at('music.mp3');
    await writeFile(playlist, await playlistWithSound(at('private.mp4')));
  });

  it('is no media', async () => {
    await expect(probe(playlist)).rejects.toMatchObject({ looksLike: 'a playlist' });
  });

  it.each([
    ['by itself', () => Promise.resolve(fileInput(playlist, { mediaType: 'audio/mpeg' }))],
    ['in a list', async () => listInput(await listOf(playlist), { mediaType: 'audio/mpeg' })],
  ])('opens no other file %s', async (_how, input) => {
    const pictures = ['-map', '0:v', '-c', 'copy', '-f', 'data', at('copied')];
    await runFfmpeg(await findFfmpeg(), [...(await input()), ...pictures]).catch(() => undefined);
    expect(await readFile(at('copied')).catch(() => Buffer.alloc(0))).toHaveLength(0);
  });

  async function listOf(path: string): Promise<string> {
    await writeFile(at('list.txt'), listEntry(path));
    return at('list.txt');
  }
});

describe('ffmpeg', () => {
  it('keeps one frame in memory, however many the end of a clip has', async () => {
    await writeFile(at('crowded.mp4'), crowdedEnd());
    const ffmpeg = await scriptedFfmpeg(folder, 'ulimit -d 150000\nexec "$REAL" "$@"');
    await lastFrame(ffmpeg, at('crowded.mp4'), at('last.png'));
    expect(await probe(at('last.png'))).toMatchObject({ width: 320, height: 180 });
  });

  it('is ended if it runs for too long, and that counts as a refusal', async () => {
    const endless = ['-f', 'lavfi', '-i', 'testsrc2', '-f', 'null', '-'];
    const failure = await runFfmpeg(await findFfmpeg(), endless, {
      bounds: { cpuSeconds: 1, memoryBytes: 2 ** 30 },
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FfmpegError);
    expect(failure).toMatchObject({ isRefusal: true });
  });

  it('is bounded in memory', async () => {
    const ffmpeg = await scriptedFfmpeg(folder, `ulimit -d > "${at('bound')}"; echo "$@" > "${at('arguments')}"`);
    await runFfmpeg(ffmpeg, []);
    expect(Number(await readFile(at('bound'), 'utf8'))).toBeLessThan(16 * 1024 ** 2);
    // Each decoder thread keeps its own frames.
    expect(await readFile(at('arguments'), 'utf8')).toContain(`-threads ${availableParallelism()}`);
  });

  it('decodes no frame with more pixels than allowed', async () => {
    await writeFile(at('huge.png'), monochromePng(10_000));
    await expect(firstFrame(await findFfmpeg(), at('huge.png'), at('never.png'))).rejects.toThrow(FfmpegError);
  });

  it('decodes no clip whose frames are far larger than its container says', async () => {
    await writeFile(at('larger.mp4'), plainClip(48, { width: 2048, height: 2048 }));
    expect(await probe(at('larger.mp4'))).toMatchObject({ width: 320, height: 180 });
    await expect(lastFrame(await findFfmpeg(), at('larger.mp4'), at('never.png'))).rejects.toThrow();
  });

  it('gets no key and no secret in its environment', async () => {
    process.env['DAILIES_GATEWAY_KEY'] = 'the key';
    process.env['SOMETHING_ELSE'] = 'not its business';
    try {
      const ffmpeg = await scriptedFfmpeg(folder, `env > "${at('environment')}"`);
      await runFfmpeg(ffmpeg, []);
    } finally {
      delete process.env['DAILIES_GATEWAY_KEY'];
      delete process.env['SOMETHING_ELSE'];
    }
    const environment = await readFile(at('environment'), 'utf8');
    expect(environment).toContain('PATH=');
    expect(environment).not.toMatch(/the key|not its business/);
  });
});
