import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Bounds, hasNotStarted, spawnConfined } from './confined';
import type { Ffmpeg } from './find-ffmpeg';
import { createLimiter } from './limiter';

/** Time that an aborted ffmpeg has to end by itself before it is killed, in milliseconds. */
const KILL_GRACE_MS = 2_000;

const GIB = 1024 ** 3;

/** Largest single block, for systems that hold to no bound of memory: a 16-bit picture of the most pixels that are read. */
const MOST_ALLOCATED = GIB / 2;

/**
 * Frames of the first input that are decoded at once, as the bounds on memory allow: by itself ffmpeg goes by all cores of
 * the host, also in a container that may use two of them.
 */
const DECODER_THREADS = ['-threads', String(availableParallelism())];

/** ffmpeg may wait for the disk, or for its turn on a busy machine, this many times as long as it may work. */
const PATIENCE = 20;
const LONGEST_SECONDS = 24 * 3600;

/** ffmpeg's exit codes after a signal that it catches, as it does that of the system when its time is up, and after four. */
const TOLD_TO_STOP: readonly (number | null)[] = [255, 123];

/** The system's signals for a program that went wrong by itself or over its bounds; all others are sent by somebody. */
const OWN_FAULTS = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP', 'SIGXCPU', 'SIGXFSZ'];

/** Characters of stderr kept for the error; the cause stands at the end. */
const STDERR_TAIL_CHARACTERS = 4_000;

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Called with the position in the output, in seconds. */
  readonly onProgress?: (seconds: number) => void;
  /** Whether all other work of the machine goes before it. Default: no. */
  readonly lowPriority?: boolean;
  /** Default: enough to look at a picture. */
  readonly bounds?: Bounds;
  /** Fed to ffmpeg's `pipe:0`. */
  readonly input?: Readable;
}

/** Enough for decoding a clip of up to 8K; each core decodes frames of its own. */
export function lookBounds(mediaSeconds: number | null): Bounds {
  return { cpuSeconds: 60 + 10 * (mediaSeconds ?? 0), memoryBytes: GIB + (availableParallelism() * GIB) / 16 };
}

/** Enough for rendering so much film. On two cores one in 4K takes 0.9 GB, and one in 8K four times as much. */
export function renderBounds(mediaSeconds: number): Bounds {
  return { cpuSeconds: 600 + 120 * mediaSeconds, memoryBytes: 5 * GIB + (availableParallelism() * GIB) / 8 };
}

/** ffmpeg ended with an error. `exitCode` is null where a signal or a failed start ended it. */
export class FfmpegError extends Error {
  override readonly name = 'FfmpegError';

  constructor(
    readonly exitCode: number | null,
    /** The end of what it wrote to stderr. */
    readonly stderr: string,
    /** Whether that says something of what it read: not where somebody ended it or it did not start. */
    readonly isRefusal: boolean = exitCode !== null,
  ) {
    super(`ffmpeg ${exitCode === null ? 'was ended' : `exited with ${exitCode}`}: ${stderr.trim() || 'no message'}`);
  }
}

/** ffmpeg uses every core it finds; more at once only makes each slower and takes more memory. */
const limit = createLimiter(availableParallelism());

/**
 * Runs ffmpeg once, waiting in line where as many as there are cores are running in this process. What is of low priority
 * keeps no place from others and waits for none: whoever runs it runs one at a time.
 *
 * It is held to bounds of memory and time, and gets nothing of this process's environment that it does not need.
 *
 * After an abort the promise settles once ffmpeg has ended, so that its files can be removed.
 *
 * @throws FfmpegError where it fails, the signal's reason after an abort.
 */
export async function runFfmpeg(ffmpeg: Ffmpeg, args: readonly string[], options: RunOptions = {}): Promise<void> {
  const { signal, lowPriority = false } = options;
  signal?.throwIfAborted();
  await (lowPriority ? run(ffmpeg, args, options) : limit(() => run(ffmpeg, args, options), signal));
}

async function run(ffmpeg: Ffmpeg, args: readonly string[], options: RunOptions): Promise<void> {
  const { signal, onProgress, lowPriority = false, bounds = lookBounds(null), input } = options;
  const { cpuSeconds } = bounds;
  const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-nostats', '-progress', 'pipe:1', '-y'];
  const child = spawnConfined(
    ffmpeg.path,
    [...quiet, '-max_alloc', String(MOST_ALLOCATED), ...(lowPriority ? [] : DECODER_THREADS), ...args],
    bounds,
    'pipe',
  ) as ChildProcessWithoutNullStreams;
  if (lowPriority) yieldToOthers(child.pid);

  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL_CHARACTERS);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const seconds = progressSeconds(line);
    if (seconds !== undefined) onProgress?.(seconds);
  });
  // ffmpeg may have read enough before the input ends; whether that was well, its exit code says.
  if (input) pipeline(input, child.stdin).catch(() => undefined);
  else child.stdin.end();

  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => {
      stderr += error.message;
      resolve({ exitCode: null, endedBy: null });
    });
    child.once('close', (exitCode, endedBy) => {
      resolve({ exitCode: hasNotStarted(exitCode) ? null : exitCode, endedBy });
    });
  });
  const overtime = AbortSignal.timeout(Math.ceil(Math.min(cpuSeconds * PATIENCE, LONGEST_SECONDS)) * 1000);
  const stopKilling = killOnAbort(child, AbortSignal.any([overtime, ...(signal ? [signal] : [])]));
  const { exitCode, endedBy } = await ended;
  stopKilling();

  signal?.throwIfAborted();
  if (exitCode === 0) return;
  const isOver = overtime.aborted || endedBy === 'SIGXCPU' || TOLD_TO_STOP.includes(exitCode);
  if (isOver) stderr += `\nit was told to stop, as after ${Math.ceil(cpuSeconds)} s of work on the processor`;
  const isRefusal = exitCode !== null || isOver || (endedBy !== null && OWN_FAULTS.includes(endedBy));
  throw new FfmpegError(exitCode, stderr, isRefusal);
}

interface Ending {
  readonly exitCode: number | null;
  readonly endedBy: NodeJS.Signals | null;
}

function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has just ended.
  }
}

function killOnAbort(child: { kill(signal: NodeJS.Signals): boolean }, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const kill = () => {
    child.kill('SIGTERM');
    timer = setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS);
  };
  if (signal.aborted) kill();
  else signal.addEventListener('abort', kill, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  };
}

/** Reads `out_time=00:00:01.500000`; the fields in other units differ between versions of ffmpeg. */
function progressSeconds(line: string): number | undefined {
  const match = /^out_time=(\d+):(\d+):([\d.]+)$/.exec(line);
  if (!match) return undefined;
  const [hours, minutes, seconds] = match.slice(1).map(Number);
  return (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
}
