import type { ChildProcess, StdioOptions } from 'node:child_process';
import { join, resolve } from 'node:path';
import { spawnConfined } from '../confined';
import { createLimiter } from '../limiter';
import type { MediaInfo } from '../media-info';

/** Ordinary clips take 20 ms. Whatever takes longer than this was made to. */
const LOOK_LIMIT_MS = 10_000;

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

/** What the file holds; else what it looks like, which is `no media` where it does not open at all. */
export async function describeFile(path: string): Promise<MediaInfo | string> {
  return (await ask({ path: resolve(path), about: 'file' })) ?? EXCESS;
}

/** Names the stream of a clip's picture; see picture-stream.ts. Null where it cannot be taken over. */
export async function pictureStreamOf(path: string): Promise<string | null> {
  return (await ask({ path: resolve(path), about: 'picture' })) as string | null;
}

type Outcome = { readonly answer: Answer } | 'ended' | 'late';

interface Prober {
  ask(question: Question): Promise<Outcome>;
}

const limit = createLimiter(MOST_AT_ONCE);
const idle: Prober[] = [];

/** Null also where a file takes more than a process may use. */
async function ask(question: Question): Promise<Answer> {
  return await limit(async () => {
    const kept = idle.pop();
    let outcome = kept === undefined ? 'ended' : await askOne(kept, question);
    // One that has served before may end because it was idle, or because other files have used up its time.
    if (outcome === 'ended') outcome = await askOne(await startProber(), question);
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
      if (!child.connected) return 'ended';
      child.ref();
      child.channel?.ref();
      const outcome = nextMessage(child, LOOK_LIMIT_MS);
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

/** What the process says next: `ended` where it ends before that, `late` where it was ended for taking too long. */
async function nextMessage(child: ChildProcess, limitMs: number): Promise<Outcome> {
  return await new Promise((resolveOutcome) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      settle('late');
    }, limitMs);
    const hear = (answer: Answer) => {
      settle({ answer });
    };
    const end = () => {
      settle('ended');
    };
    function settle(outcome: Outcome): void {
      clearTimeout(timer);
      child.off('message', hear).off('disconnect', end).off('error', end);
      resolveOutcome(outcome);
    }
    child.once('message', hear).once('disconnect', end).once('error', end);
  });
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
