import { spawn } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Ffmpeg } from './find-ffmpeg';
import { createLimiter } from './limiter';

/** Time that an aborted ffmpeg has to end by itself before it is killed, in milliseconds. */
const KILL_GRACE_MS = 2_000;

/** Characters of stderr kept for the error; the cause stands at the end. */
const STDERR_TAIL_CHARACTERS = 4_000;

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Called with the position in the output, in seconds. */
  readonly onProgress?: (seconds: number) => void;
  /** Whether all other work of the machine goes before it. Default: no. */
  readonly lowPriority?: boolean;
  /** Fed to ffmpeg's `pipe:0`. */
  readonly input?: Readable;
}

/** ffmpeg ended with an error. `exitCode` is null where a signal or a failed start ended it. */
export class FfmpegError extends Error {
  override readonly name = 'FfmpegError';

  constructor(
    readonly exitCode: number | null,
    /** The end of what it wrote to stderr. */
    readonly stderr: string,
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
  const { signal, onProgress, lowPriority = false, input } = options;
  const child = spawn(
    ffmpeg.path,
    ['-nostdin', '-hide_banner', '-loglevel', 'error', '-nostats', '-progress', 'pipe:1', '-y', ...args],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
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

  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      stderr += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  const stopKilling = killOnAbort(child, signal);
  const exitCode = await ended;
  stopKilling();

  signal?.throwIfAborted();
  if (exitCode !== 0) throw new FfmpegError(exitCode, stderr);
}

function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has just ended.
  }
}

function killOnAbort(child: { kill(signal: NodeJS.Signals): boolean }, signal: AbortSignal | undefined): () => void {
  let timer: NodeJS.Timeout | undefined;
  const kill = () => {
    child.kill('SIGTERM');
    timer = setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MS);
  };
  if (signal?.aborted) kill();
  else signal?.addEventListener('abort', kill, { once: true });
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
  };
}

/** Reads `out_time=00:00:01.500000`; the fields in other units differ between versions of ffmpeg. */
function progressSeconds(line: string): number | undefined {
  const match = /^out_time=(\d+):(\d+):([\d.]+)$/.exec(line);
  if (!match) return undefined;
  const [hours, minutes, seconds] = match.slice(1).map(Number);
  return (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0);
}
