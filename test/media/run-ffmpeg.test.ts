import { readdir, readFile, stat } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { availableParallelism, constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { FfmpegError, findFfmpeg, probe, runFfmpeg } from '../../media';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { makeClip, scriptedFfmpeg } from './fixtures';

const ENDLESS = ['-re', '-f', 'lavfi', '-i', 'testsrc2', '-f', 'null', '-'];

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

it('reports the progress of the output', async () => {
  const seen: number[] = [];
  await runFfmpeg(
    await findFfmpeg(),
    ['-f', 'lavfi', '-i', 'testsrc2=duration=3:rate=24', join(folder, 'progress.mp4')],
    { onProgress: (seconds) => seen.push(seconds) },
  );
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.at(-1)).toBeGreaterThan(2.8);
  expect(seen.at(-1)).toBeLessThan(3.1);
});

it('fails with the exit code and what ffmpeg said', async () => {
  const failure = await runFfmpeg(await findFfmpeg(), ['-i', join(folder, 'no-such-clip.mp4'), 'x.mp4']).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(FfmpegError);
  expect((failure as FfmpegError).exitCode).toBeGreaterThan(0);
  expect((failure as FfmpegError).message).toContain('no-such-clip.mp4');
});

it('keeps only the end of a long error output', async () => {
  const ffmpeg = await scriptedFfmpeg(
    folder,
    'yes "blah blah blah" | head -c 300000 >&2; echo "the cause" >&2; exit 3',
  );
  const failure = (await runFfmpeg(ffmpeg, []).catch((error: unknown) => error)) as FfmpegError;
  expect(failure).toMatchObject({ name: 'FfmpegError', exitCode: 3 });
  expect(failure.stderr.length).toBeLessThan(10_000);
  expect(failure.stderr).toContain('the cause');
});

it('fails if ffmpeg cannot be started or is killed', async () => {
  const ffmpeg = await findFfmpeg();
  const missing = join(folder, 'not-there');
  await expect(runFfmpeg({ ...ffmpeg, path: missing }, [])).rejects.toThrow(FfmpegError);
  const killed = await scriptedFfmpeg(folder, 'kill -9 $$');
  await expect(runFfmpeg(killed, [])).rejects.toMatchObject({ name: 'FfmpegError', exitCode: null });
});

it.each(['INT', 'TERM'])('does not count a SIG%s from outside as a refusal of the input', async (signal) => {
  const ffmpeg = await scriptedFfmpeg(folder, `"$REAL" "$@" & sleep 1; kill -${signal} $!; wait $!; exit $?`);
  await expect(runFfmpeg(ffmpeg, ENDLESS)).rejects.toMatchObject({ exitCode: 255, isRefusal: false });
});

it('reads its input from a stream', async () => {
  const clip = await makeClip(join(folder, 'piped.webm'), { codec: ['-c:v', 'libvpx', '-deadline', 'realtime'] });
  const copy = join(folder, 'copy.webm');
  await runFfmpeg(await findFfmpeg(), ['-i', 'pipe:0', '-c', 'copy', copy], { input: createReadStream(clip) });
  expect(await probe(copy)).toMatchObject({ frameRate: 24, width: 320 });
});

it('fails with the error of its input, and not with that of an input that it has stopped reading', async () => {
  const enough = await scriptedFfmpeg(folder, 'head -c 10 >/dev/null');
  const broken = new Error('the disk fails');
  const input = Readable.from(
    (async function* () {
      yield Buffer.alloc(10);
      await Promise.resolve();
      throw broken;
    })(),
  );
  await expect(runFfmpeg(enough, [], { input })).rejects.toBe(broken);
  await runFfmpeg(enough, [], { input: Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(100_000))) });
});

it('rejects with the reason of an abort', async () => {
  const abort = new AbortController();
  const running = runFfmpeg(await findFfmpeg(), ENDLESS, {
    signal: abort.signal,
    onProgress: () => {
      abort.abort(new Error('called off'));
    },
  });
  await expect(running).rejects.toThrow('called off');
});

it('starts nothing after an abort', async () => {
  const mark = join(folder, 'started');
  const ffmpeg = await scriptedFfmpeg(folder, `touch "${mark}"`);
  await expect(runFfmpeg(ffmpeg, [], { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
  await expect(stat(mark)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('kills an ffmpeg that does not end by itself', async () => {
  const ffmpeg = await scriptedFfmpeg(folder, 'trap "" TERM\necho out_time=00:00:01.0\nwhile :; do sleep 0.1; done');
  const abort = new AbortController();
  const running = runFfmpeg(ffmpeg, [], {
    signal: abort.signal,
    onProgress: () => {
      abort.abort(new Error('called off'));
    },
  });
  await expect(running).rejects.toThrow('called off');
});

it('runs at most one ffmpeg per core at once', async () => {
  const marks = await temporaryFolder();
  const ffmpeg = await scriptedFfmpeg(
    folder,
    `touch "${marks}/$$"\necho out_time=00:00:01.0\nsleep 0.3\nrm "${marks}/$$"`,
  );
  const counts: number[] = [];
  const count = async () => {
    counts.push((await readdir(marks)).length);
  };
  const counting: Promise<void>[] = [];
  const runs = Array.from({ length: availableParallelism() * 2 + 1 }, () =>
    runFfmpeg(ffmpeg, [], { onProgress: () => counting.push(count()) }),
  );
  await Promise.all(runs);
  await Promise.all(counting);
  expect(counts).toHaveLength(runs.length);
  expect(Math.max(...counts)).toBeLessThanOrEqual(availableParallelism());
});

it('lets low priority jobs yield, so that they block no other', async () => {
  const marks = await temporaryFolder();
  const ffmpeg = await scriptedFfmpeg(
    await temporaryFolder(),
    `for name; do :; done
     sleep 0.2
     nice > "${marks}/$name.part"
     mv "${marks}/$name.part" "${marks}/$name"
     if [ $name = low ]; then exec sleep 900; fi`,
  );
  const abort = new AbortController();
  const options = { signal: abort.signal, lowPriority: true };
  const low = Array.from({ length: availableParallelism() }, () => runFfmpeg(ffmpeg, ['low'], options));
  await until(async () => (await readdir(marks)).includes('low'));
  await runFfmpeg(ffmpeg, ['normal']);
  abort.abort();
  await Promise.allSettled(low);
  expect(await readFile(join(marks, 'low'), 'utf8')).toBe(`${constants.priority.PRIORITY_LOW}\n`);
  expect(await readFile(join(marks, 'normal'), 'utf8')).toBe(`${getPriority()}\n`);
});
