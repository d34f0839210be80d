import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDownloadAsset } from '../activities/collect/download-asset';
import { describeMedia } from '../activities/media/describe-media';
import { assemble, type Ffmpeg, findFfmpeg, runFfmpeg } from '../media';
import { openStore } from '../store';
import { type Finding } from './finding';
import { type Part } from './measure';
import { inOwnFolder } from './own-folder';

const ROUNDS = 5;
const MIB = 1024 * 1024;

/** A line of 1 Gbit/s. */
const LINE_BYTES_PER_SECOND = 125_000_000;

/** A large clip, and a clip of usual size. Usual clips have 2 to 50 MB. */
const DOWNLOADS = [
  { title: 'download of 200 MB', bytes: 200 * MIB, bytesPerSecond: Infinity },
  { title: 'download of 200 MB at 1 Gbit/s', bytes: 200 * MIB, bytesPerSecond: LINE_BYTES_PER_SECOND },
  { title: 'download of 5 MB', bytes: 5 * MIB, bytesPerSecond: Infinity },
  { title: 'download of 5 MB at 1 Gbit/s', bytes: 5 * MIB, bytesPerSecond: LINE_BYTES_PER_SECOND },
];

const CLIPS = 8;
const CLIP_SECONDS = 5;
const FADE_SECONDS = 0.5;

/** Milliseconds of each round, by Dailies (`ours`) and by the other program. */
interface Beside {
  readonly ours: readonly number[];
  readonly other: readonly number[];
}

/**
 * Compares downloads: Dailies downloads, hashes, flushes and probes; curl only downloads to disk.
 *
 * A local server without a limit sends a clip so fast that SHA-256 alone takes longer than curl. So clips are also
 * served at the speed of a fast line.
 */
export const DOWNLOAD_PARTS: readonly Part[] = DOWNLOADS.map(({ title, bytes, bytesPerSecond }) => ({
  title,
  measure: async () => {
    const { ours, other } = await downloadBeside(bytes, bytesPerSecond);
    const ratios = ours.map((ms, round) => (other[round] ?? NaN) / ms);
    return [besideFinding(title, ours, { other, by: 'curl', ratios, of: "of curl's speed" })];
  },
}));

async function downloadBeside(bytes: number, bytesPerSecond: number): Promise<Beside> {
  return inOwnFolder(async (folder) => {
    const clip = join(folder, 'clip.mp4');
    let server: ChildProcess | undefined;
    try {
      const ffmpeg = await findFfmpeg();
      await renderClip(ffmpeg, clip, 1);
      await padTo(clip, bytes);
      server = fork(join(__dirname, 'file-server.js'), [clip, String(bytesPerSecond)]);
      const [host] = (await Promise.race([once(server, 'message'), ended(server)])) as [string];
      const store = await openStore(join(folder, 'store'));
      const download = createDownloadAsset(store, { allowedPrivateHosts: [host], maxBytes: bytes });
      const curled = join(folder, 'curled.mp4');
      return await beside(
        async () => {
          const { signal } = new AbortController();
          const url = `http://${host}/ours`;
          const asset = await download({ url, label: 'bench', describe: describeMedia('video'), signal });
          return store.assets.shownPath(asset);
        },
        async () => {
          await execute('curl', ['--silent', '--show-error', '--output', curled, `http://${host}/curl`]);
          return curled;
        },
      );
    } finally {
      server?.kill();
    }
  });
}

/**
 * Compares Dailies with the ffmpeg command that a person would type. Each makes a film of eight clips twice: with cuts,
 * and with crossfades.
 */
export function measureJoin(): Promise<readonly Finding[]> {
  return inOwnFolder(async (folder) => {
    const ffmpeg = await findFfmpeg();
    const clips = Array.from({ length: CLIPS }, (_, index) => join(folder, `${index}.mp4`));
    for (const clip of clips) await renderClip(ffmpeg, clip, CLIP_SECONDS);
    const list = join(folder, 'list.txt');
    await writeFile(list, clips.map((clip) => `file '${clip}'\n`).join(''));
    const spec = {
      clips: clips.map((path, index) => ({ path, chapter: `clip ${index + 1}`, continuesPrevious: false })),
      metadataTitle: 'bench',
      subtitles: false,
      output: {},
    };
    const [ours, bare] = [join(folder, 'film.mp4'), join(folder, 'bare.mp4')];
    const cut = await beside(
      () => assemble(ffmpeg, { ...spec, transition: { kind: 'cut' } }, ours).then(() => ours),
      () => runFfmpeg(ffmpeg, ['-f', 'concat', '-safe', '0', '-i', list, ...COPY_PICTURE, bare]).then(() => bare),
    );
    const faded = await beside(
      () =>
        assemble(ffmpeg, { ...spec, transition: { kind: 'crossfade', seconds: FADE_SECONDS } }, ours).then(() => ours),
      () =>
        runFfmpeg(ffmpeg, [...clips.flatMap((clip) => ['-i', clip]), ...crossfades(), ...ENCODE, bare]).then(
          () => bare,
        ),
    );
    return [filmFinding('film with cuts', cut), filmFinding('film with crossfades', faded)];
  });
}

function filmFinding(title: string, { ours, other }: Beside): Finding {
  const ratios = ours.map((ms, round) => ms / (other[round] ?? NaN));
  return besideFinding(title, ours, { other, by: 'the bare command', ratios, of: 'of its time' });
}

function besideFinding(
  title: string,
  ours: readonly number[],
  than: {
    readonly other: readonly number[];
    readonly by: string;
    readonly ratios: readonly number[];
    readonly of: string;
  },
): Finding {
  return {
    title,
    quantities: [
      { unit: 'ms', values: ours },
      { unit: `ms by ${than.by}`, values: than.other },
      { unit: than.of, values: than.ratios, digits: 2 },
    ],
  };
}

/** Encodes the sound, as Dailies does, because packets of compressed sound do not end where video frames do. */
const COPY_PICTURE = ['-c:v', 'copy', '-c:a', 'aac', '-b:a', '192k', '-movflags', '+faststart'];
const ENCODE = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-pix_fmt', 'yuv420p'],
  ...['-c:a', 'aac', '-b:a', '192k', '-movflags', '+faststart'],
];

/** Arguments that fade each clip into the next. The fades are overlays, because some builds of ffmpeg lack `xfade`. */
function crossfades(): readonly string[] {
  const graph: string[] = [];
  let [picture, sound] = ['0:v', '0:a'];
  for (let next = 1; next < CLIPS; next += 1) {
    const offset = next * (CLIP_SECONDS - FADE_SECONDS);
    const fade = `format=yuva420p,fade=in:d=${FADE_SECONDS}:alpha=1,setpts=PTS+${offset}/TB`;
    graph.push(`[${next}:v]${fade}[f${next}]`, `[${picture}][f${next}]overlay[v${next}]`);
    graph.push(`[${sound}][${next}:a]acrossfade=d=${FADE_SECONDS}[a${next}]`);
    [picture, sound] = [`v${next}`, `a${next}`];
  }
  return ['-filter_complex', graph.join(';'), '-map', `[${picture}]`, '-map', `[${sound}]`];
}

async function ended(server: ChildProcess): Promise<never> {
  await once(server, 'exit');
  throw new Error('the file server has ended');
}

/**
 * Renders a clip with stereo sound at 48 kHz, so that neither Dailies nor the bare command has to convert the sound.
 * The sound is noise, because pure tones take the encoder four times as long.
 */
async function renderClip(ffmpeg: Ffmpeg, path: string, seconds: number): Promise<void> {
  await runFfmpeg(ffmpeg, [
    ...['-f', 'lavfi', '-i', `testsrc2=size=1280x720:rate=24:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `anoisesrc=color=pink:amplitude=0.3:sample_rate=48000:duration=${seconds}`, '-ac', '2'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path],
  ]);
}

/** Extends an MP4 file to exactly this size with a `free` box, which players skip. */
async function padTo(path: string, bytes: number): Promise<void> {
  const box = Buffer.alloc(bytes - (await stat(path)).size);
  box.writeUInt32BE(box.length, 0);
  box.write('free', 4, 'latin1');
  await appendFile(path, box);
}

/**
 * Runs both functions in every round, and deletes the files whose paths they return. Deleting may take longer than
 * writing, and is not measured.
 */
async function beside(ours: () => Promise<string>, other: () => Promise<string>): Promise<Beside> {
  const times = { ours: [] as number[], other: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    // The function that runs second finds its input in the page cache, so the order alternates.
    const order = round % 2 === 0 ? (['ours', 'other'] as const) : (['other', 'ours'] as const);
    for (const who of order) {
      const begunAt = performance.now();
      const made = await (who === 'ours' ? ours() : other());
      times[who].push(performance.now() - begunAt);
      await rm(made);
    }
  }
  return times;
}

/** @throws Error if the program is missing or fails. */
async function execute(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit').catch((error: unknown) => {
    throw new Error(`${program} cannot be started; the comparison needs it`, { cause: error });
  })) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code ?? 'a signal'}`);
}
