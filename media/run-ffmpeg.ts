import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Bounds, hasNotStarted, spawnConfined } from './confined';
import type { Ffmpeg } from './find-ffmpeg';
import { createLimiter } from './limiter';

/** Time from SIGTERM to SIGKILL when ffmpeg is stopped. */
const KILL_GRACE_MS = 2_000;

const GIB = 1024 ** 3;

/**
 * Largest single block of memory that ffmpeg may allocate, in bytes: a 16-bit RGBA picture of 8192 × 8192 pixels. Only
 * Linux also limits the total.
 */
const MOST_ALLOCATED = GIB / 2;

/**
 * Number of frames of the first input that are decoded at once. The memory limits assume this number. By default ffmpeg
 * counts the host's cores, also in a container that may use fewer.
 */
const DECODER_THREADS = ['-threads', String(availableParallelism())];

/** Wall-clock limit as a multiple of the CPU limit: ffmpeg may wait for the disk or for its turn on a busy machine. */
const WALL_CLOCK_FACTOR = 20;
const LONGEST_SECONDS = 24 * 3600;

/**
 * ffmpeg's exit codes after signals that it catches, such as SIGXCPU at its CPU limit and SIGINT at Ctrl-C: 255, and
 * 123 after more than three signals.
 */
const STOPPED_EXIT_CODES: readonly (number | null)[] = [255, 123];

/** Signals that the system sends to a program that failed or exceeded a limit. Other signals count as from outside. */
const OWN_FAULTS: readonly (NodeJS.Signals | null)[] = [
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
  'SIGXCPU',
  'SIGXFSZ',
];

/** Characters at the end of stderr that an error keeps; the cause is there. */
const STDERR_TAIL_CHARACTERS = 4_000;

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Called with the position in the output, in seconds. */
  readonly onProgress?: (seconds: number) => void;
  /** Whether all other work of the machine goes first. Default: false. */
  readonly lowPriority?: boolean;
  /** Default: enough to read a picture. */
  readonly bounds?: Bounds;
  /** Connected to ffmpeg's `pipe:0`. */
  readonly input?: Readable;
}

/** Enough to decode a clip of up to 8K. Each core decodes its own frames. */
export function decodeBounds(mediaSeconds: number | null): Bounds {
  return { cpuSeconds: 60 + 10 * (mediaSeconds ?? 0), memoryBytes: GIB + (availableParallelism() * GIB) / 16 };
}

/** Enough to render a film of this length. On two cores a film in 4K takes 0.9 GB, and one in 8K four times as much. */
export function renderBounds(mediaSeconds: number): Bounds {
  return { cpuSeconds: 600 + 120 * mediaSeconds, memoryBytes: 5 * GIB + (availableParallelism() * GIB) / 8 };
}

/** ffmpeg failed. `exitCode` is null if ffmpeg did not start, or if a signal killed it. */
export class FfmpegError extends Error {
  override readonly name = 'FfmpegError';

  constructor(
    readonly exitCode: number | null,
    /** The end of its stderr. */
    readonly stderr: string,
    /** True if the input may be the cause; false if ffmpeg did not start, or if a signal from outside ended it. */
    readonly isRefusal: boolean = exitCode !== null,
  ) {
    super(
      `ffmpeg ${exitCode === null ? 'did not start or was ended' : `exited with ${exitCode}`}: ${stderr.trim() || 'no message'}`,
    );
  }
}

/** At most one ffmpeg per core. Each uses every core that it finds, so more would be slower and take more memory. */
const limit = createLimiter(availableParallelism());

/**
 * Runs ffmpeg once, with limits on memory and time and a bare environment.
 *
 * This process runs at most one ffmpeg per core at once; further calls wait. Calls with low priority do not count and
 * do not wait, so their caller must make one at a time. After an abort the promise settles only when ffmpeg has ended,
 * so that its files can be removed.
 *
 * @throws FfmpegError if ffmpeg fails; the signal's reason after an abort; an error of `input`.
 */
export async function runFfmpeg(ffmpeg: Ffmpeg, args: readonly string[], options: RunOptions = {}): Promise<void> {
  const { signal, lowPriority = false } = options;
  signal?.throwIfAborted();
  await (lowPriority ? run(ffmpeg, args, options) : limit(() => run(ffmpeg, args, options), signal));
}

async function run(ffmpeg: Ffmpeg, args: readonly string[], options: RunOptions): Promise<void> {
  const { signal, onProgress, lowPriority = false, bounds = decodeBounds(null), input } = options;
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
  const inputFailure = feed(child, input);

  const startedMs = performance.now();
  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => {
      stderr += error.message;
      resolve({ exitCode: null, endedBy: null });
    });
    child.once('close', (exitCode, endedBy) => {
      resolve({ exitCode: hasNotStarted(exitCode) ? null : exitCode, endedBy });
    });
  });
  const overtime = AbortSignal.timeout(Math.ceil(Math.min(cpuSeconds * WALL_CLOCK_FACTOR, LONGEST_SECONDS)) * 1000);
  const stopKilling = killOnAbort(child, AbortSignal.any([overtime, ...(signal ? [signal] : [])]));
  const { exitCode, endedBy } = await ended;
  stopKilling();

  signal?.throwIfAborted();
  // Without the rest of its input, ffmpeg may have succeeded with a part of the output.
  const failed = inputFailure();
  if (failed !== undefined) throw failed;
  if (exitCode === 0) return;
  // Newer versions of ffmpeg also exit with 255 after an error, but then they print the error.
  const wasSignalled = STOPPED_EXIT_CODES.includes(exitCode) && stderr.trim() === '';
  const mayHaveReachedLimit = canReachCpuLimit(performance.now() - startedMs, cpuSeconds);
  const exceededLimit = overtime.aborted || endedBy === 'SIGXCPU' || (wasSignalled && mayHaveReachedLimit);
  if (overtime.aborted) stderr += '\nit was stopped, because it took much longer than its limit';
  else if (exceededLimit)
    stderr += `\na signal stopped it, probably because it had used its ${Math.ceil(cpuSeconds)} s of CPU time`;
  else if (wasSignalled) stderr += '\na signal from outside, such as Ctrl-C, stopped it';
  const failedByItself = exitCode !== null && !wasSignalled;
  throw new FfmpegError(exitCode, stderr, exceededLimit || failedByItself || OWN_FAULTS.includes(endedBy));
}

/** Connects the input, if any. @returns a function that returns the input's own error; undefined if it has none. */
function feed({ stdin }: ChildProcessWithoutNullStreams, input: Readable | undefined): () => Error | undefined {
  if (input === undefined) {
    stdin.end();
    return () => undefined;
  }
  let failure: Error | undefined;
  let hasStoppedReading = false;
  stdin.once('error', () => (hasStoppedReading = true));
  input.once('error', (error) => {
    // The pipeline passes an error of one stream on to the other.
    if (!hasStoppedReading) failure = error;
  });
  // ffmpeg may stop reading before the input ends. Its exit code says whether that was an error.
  pipeline(input, stdin).catch(() => undefined);
  return () => failure;
}

interface Ending {
  readonly exitCode: number | null;
  readonly endedBy: NodeJS.Signals | null;
}

/**
 * Whether a process can have used this much CPU time since it started. Assumes one core more than Node reports, because
 * Node rounds a container's share of cores down.
 */
function canReachCpuLimit(elapsedMs: number, cpuSeconds: number): boolean {
  return (elapsedMs / 1000) * (availableParallelism() + 1) >= cpuSeconds;
}

function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has just ended.
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

/** Parses `out_time=00:00:01.500000`. The fields in other units differ between versions of ffmpeg. */
function progressSeconds(line: string): number | undefined {
  const match = /^out_time=(\d+):(\d+):([\d.]+)$/.exec(line);
  if (!match) return undefined;
  const [hours, minutes, seconds] = match.slice(1).map(Number);
  return (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
}
