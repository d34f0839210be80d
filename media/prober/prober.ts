import type { ChildProcess, StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { spawnConfined } from '../confined';
import { createLimiter } from '../limiter';
import type { MediaInfo } from '../media-info';

/** Time on the processor. Ordinary clips take 20 ms. Whatever takes longer than this was made to. */
const LOOK_CPU_SECONDS = 10;
const CHECK_CPU_EVERY_MS = 500;

/** By the clock: a disk, a share or a machine that stands still for so long says nothing of the file. */
const STANDSTILL_MS = 120_000;

/** Linux counts time on the processor in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Sent by somebody else, as by a system that is short of memory; a program's own faults and bounds have others. */
const FROM_OUTSIDE: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/** A busy machine takes seconds to start a process. */
const START_LIMIT_MS = 60_000;

/** Six hours of film take half of it. Less room for what is young keeps a process small that fills it on purpose. */
const HEAP = ['--max-old-space-size=96', '--max-semi-space-size=4'];

/** For all files that one process looks into; it also ends one whose parent was killed while it was looking. */
const BOUNDS = { memoryBytes: 320 * 1024 * 1024, cpuSeconds: 120 };

/** One that hangs does not hold up the others. */
const MOST_AT_ONCE = 2;

const EXCESS = 'media that takes more time or memory than any clip needs';

export interface Question {
  readonly path: string;
  readonly about: 'file' | 'picture';
}

export type Answer = MediaInfo | string | null;

/**
 * What the file holds; else what it looks like, which is `no media` where it does not open at all.
 *
 * @throws Error if the process could not look, which says nothing of the file.
 */
export async function describeFile(path: string): Promise<MediaInfo | string> {
  return (await ask({ path: resolve(path), about: 'file' })) ?? EXCESS;
}

/**
 * Names the stream of a clip's picture; see picture-stream.ts. Null where it cannot be taken over.
 *
 * @throws Error as above.
 */
export async function pictureStreamOf(path: string): Promise<string | null> {
  return (await ask({ path: resolve(path), about: 'picture' })) as string | null;
}

/** `excess`: the file took more than a process may use. `stopped`: that is not the file's doing. */
type Outcome = { readonly answer: Answer } | 'excess' | 'stopped';

interface Prober {
  ask(question: Question): Promise<Outcome>;
}

const limit = createLimiter(MOST_AT_ONCE);
const idle: Prober[] = [];

/** Null also if a file takes more than a process may use. */
async function ask(question: Question): Promise<Answer> {
  return await limit(async () => {
    const kept = idle.pop();
    let outcome: Outcome = kept === undefined ? 'stopped' : await askOne(kept, question);
    // One that has served before may end because it was idle, or because other files have used up its time.
    if (typeof outcome !== 'object') outcome = await askOne(await startProber(), question);
    if (outcome === 'stopped') throw new Error(`the process that looks into media was stopped at ${question.path}`);
    return typeof outcome === 'object' ? outcome.answer : null;
  });
}

async function askOne(prober: Prober, question: Question): Promise<Outcome> {
  const outcome = await prober.ask(question);
  if (typeof outcome === 'object') idle.push(prober);
  return outcome;
}

/** @throws Error where the process does not start, which says nothing of any file. */
async function startProber(): Promise<Prober> {
  const program = programPath();
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc'];
  const child = spawnConfined(process.execPath, [...HEAP, program], BOUNDS, stdio);
  // Its end is noticed by what it does not answer.
  child.on('error', () => undefined);
  const ready = await nextMessage(child, START_LIMIT_MS);
  if (typeof ready !== 'object') throw new Error(`the process that looks into media does not start: ${program}`);
  letGo(child);

  const prober: Prober = {
    async ask(question) {
      if (!child.connected) return 'stopped';
      child.ref();
      child.channel?.ref();
      const outcome = nextMessage(child, STANDSTILL_MS, LOOK_CPU_SECONDS);
      child.send(question, () => undefined);
      try {
        return await outcome;
      } finally {
        letGo(child);
      }
    },
  };
  child.once('disconnect', () => {
    if (idle.includes(prober)) idle.splice(idle.indexOf(prober), 1);
  });
  return prober;
}

/**
 * What the process says next. It is ended if it takes longer than `limitMs` by the clock, or `cpuSeconds` on the
 * processor; systems other than Linux hold it to BOUNDS alone.
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

/** Seconds that a process has spent on the processor; 0 if the system does not tell. */
function usedCpuSeconds(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program comes before, in brackets, and may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** It ends with this process, and does not keep it. */
function letGo(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** Compiled also when this module runs from source, as under a test runner. */
function programPath(): string {
  const compiled = __filename.endsWith('.ts') ? join(__dirname, '../../dist/media/prober') : __dirname;
  return join(compiled, 'main.js');
}
