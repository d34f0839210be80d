import type { ChildProcess, StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { spawnConfined } from '../confined';
import { createLimiter } from '../limiter';
import type { MediaInfo } from '../media-info';

/** CPU time limit per file. Ordinary clips take 20 ms; only a hostile file reaches the limit. */
const PROBE_CPU_SECONDS = 10;
const CHECK_CPU_EVERY_MS = 500;

/** Wall-clock limit per file. Exceeding it proves nothing about the file: the disk or machine may have stalled. */
const STANDSTILL_MS = 120_000;

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/**
 * Signals sent from outside, for example when the system lacks memory. Other signals come from a program's own faults
 * and limits.
 */
const FROM_OUTSIDE: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/** A busy machine takes seconds to start a process. */
const START_LIMIT_MS = 60_000;

/**
 * Limits of V8's heap, in MB. Six hours of film take half of this heap. A small young generation keeps the process
 * small when a file tries to fill its memory.
 */
const HEAP = ['--max-old-space-size=96', '--max-semi-space-size=4'];

/**
 * Limits for all files of one process together. The CPU limit also ends a process whose parent was killed during a
 * probe.
 */
const BOUNDS = { memoryBytes: 320 * 1024 * 1024, cpuSeconds: 120 };

/** Two processes, so that a file that hangs does not block the others. */
const MOST_AT_ONCE = 2;

const EXCESS = 'media that takes more time or memory than any clip needs';

export interface Question {
  readonly path: string;
  readonly about: 'file' | 'picture';
}

/** About a file: see `describeFile`. About a picture: see `pictureStreamOf`. `unreadable`: the system's error. */
export type Answer = MediaInfo | string | null | { readonly unreadable: string; readonly code: string | null };

/**
 * Describes a media file. If the file is refused or exceeds the limits, returns the reason in words, for example
 * `no media` if the file cannot be opened as media.
 *
 * @throws Error if the file cannot be read, or if the process could not probe. Both prove nothing about the content.
 */
export async function describeFile(path: string): Promise<MediaInfo | string> {
  const answer = (await ask({ path: resolve(path), about: 'file' })) ?? EXCESS;
  if (typeof answer === 'object' && 'unreadable' in answer) {
    throw Object.assign(new Error(`${path} cannot be read: ${answer.unreadable}`), { code: answer.code });
  }
  return answer;
}

/**
 * Returns a text. If two clips have the same text, their pictures can be joined without encoding. Null if the picture
 * cannot be copied (see picture-stream.ts), or if the file cannot be read or exceeds the limits.
 *
 * @throws Error if the process could not probe.
 */
export async function pictureStreamOf(path: string): Promise<string | null> {
  return (await ask({ path: resolve(path), about: 'picture' })) as string | null;
}

/** `excess`: the file exceeded a limit or crashed the process. `stopped`: the process stalled or ended otherwise. */
type Outcome = { readonly answer: Answer } | 'excess' | 'stopped';

interface Prober {
  ask(question: Question): Promise<Outcome>;
}

const limit = createLimiter(MOST_AT_ONCE);
const idle: Prober[] = [];

/** Null if the prober answers null, or if the outcome is `excess`. @throws Error if the process could not probe. */
async function ask(question: Question): Promise<Answer> {
  return await limit(async () => {
    const kept = idle.pop();
    let outcome: Outcome = kept === undefined ? 'stopped' : await askOne(kept, question);
    // A reused process may end because it was idle, or because earlier files used up its CPU time. So ask a new one.
    if (typeof outcome !== 'object') outcome = await askOne(await startProber(), question);
    if (outcome === 'stopped') throw new Error(`the process that probes media was stopped at ${question.path}`);
    return typeof outcome === 'object' ? outcome.answer : null;
  });
}

async function askOne(prober: Prober, question: Question): Promise<Outcome> {
  const outcome = await prober.ask(question);
  if (typeof outcome === 'object') idle.push(prober);
  return outcome;
}

/** @throws Error if the process does not start, which proves nothing about any file. */
async function startProber(): Promise<Prober> {
  const program = programPath();
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc'];
  const child = spawnConfined(process.execPath, [...HEAP, program], BOUNDS, stdio);
  // `nextMessage` reports a failed start. Without this listener, a later error would end this process.
  child.on('error', () => undefined);
  const ready = await nextMessage(child, START_LIMIT_MS);
  if (typeof ready !== 'object') throw new Error(`the process that probes media does not start: ${program}`);
  unreference(child);

  const prober: Prober = {
    async ask(question) {
      if (!child.connected) return 'stopped';
      child.ref();
      child.channel?.ref();
      const outcome = nextMessage(child, STANDSTILL_MS, PROBE_CPU_SECONDS);
      child.send(question, () => undefined);
      try {
        return await outcome;
      } finally {
        unreference(child);
      }
    },
  };
  child.once('disconnect', () => {
    if (idle.includes(prober)) idle.splice(idle.indexOf(prober), 1);
  });
  return prober;
}

/**
 * Waits for the next message of the process.
 *
 * Kills the process after `limitMs` of wall-clock time, or `cpuSeconds` of CPU time. Only Linux reports the CPU time.
 * Elsewhere BOUNDS limits it, except on Windows.
 */
async function nextMessage(child: ChildProcess, limitMs: number, cpuSeconds = Infinity): Promise<Outcome> {
  const usedBefore = usedCpuSeconds(child.pid);
  return await new Promise((resolveOutcome) => {
    const giveUp = (outcome: Outcome) => {
      child.kill('SIGKILL');
      settle(outcome);
    };
    const timer = setTimeout(giveUp, limitMs, 'stopped');
    const check = setInterval(() => {
      if (usedCpuSeconds(child.pid) - usedBefore > cpuSeconds) giveUp('excess');
    }, CHECK_CPU_EVERY_MS);
    const hear = (answer: Answer) => {
      settle({ answer });
    };
    const end = (exitCode: number | null, signal: NodeJS.Signals | null) => {
      settle(exitCode === 0 || FROM_OUTSIDE.includes(signal) ? 'stopped' : 'excess');
    };
    const fail = () => {
      settle('stopped');
    };
    function settle(outcome: Outcome): void {
      clearTimeout(timer);
      clearInterval(check);
      child.off('message', hear).off('exit', end).off('error', fail);
      resolveOutcome(outcome);
    }
    child.once('message', hear).once('exit', end).once('error', fail);
  });
}

/** CPU seconds that a process has used; 0 if the system does not report them. */
function usedCpuSeconds(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name precedes these fields in parentheses and may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Lets this process exit while the child runs. The child ends when the channel to this process closes. */
function unreference(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** The compiled program, also if this module runs from source in a test. */
function programPath(): string {
  const compiled = __filename.endsWith('.ts') ? join(__dirname, '../../dist/media/prober') : __dirname;
  return join(compiled, 'main.js');
}
