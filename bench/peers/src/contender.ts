import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LEAN_MALLOC } from '../../../dist/workers/lean-memory';
import { type Said } from './program';
import { startPostgres } from './services/postgres';
import { startRedis } from './services/redis';
import { startRestate } from './services/restate';
import { type Service } from './services/service';
import { startTemporal } from './services/temporal';
import { type Work } from './work';

/** Who does the work: a program in contenders/, and the server that it needs. */
export interface Contender {
  /** Of its program. */
  readonly name: string;
  readonly title: string;
  /** Absent for a plain script. */
  readonly server?: { readonly title: string; readonly start: (folder: string) => Promise<Service> };
}

export const CONTENDERS: readonly Contender[] = [
  { name: 'dailies', title: 'Dailies', server: { title: 'Temporal', start: startTemporal } },
  { name: 'plain-fal', title: 'plain script, as fal-js' },
  { name: 'plain-runway', title: 'plain script, as runwayml' },
  { name: 'bullmq', title: 'BullMQ on Redis', server: { title: 'Redis', start: startRedis } },
  { name: 'dbos', title: 'DBOS on PostgreSQL', server: { title: 'PostgreSQL', start: startPostgres } },
  { name: 'restate', title: 'Restate', server: { title: 'Restate', start: startRestate } },
];

/** A contender's program, under way. */
export interface Program {
  readonly pid: number;
  /** When it says that it can begin. @throws Error with its words where it ends before. */
  readonly ready: Promise<Said>;
  /** When it says that all is in its place. @throws Error with its words where it ends before. */
  readonly done: Promise<Said>;
  /** Whether it is done, or has ended otherwise. */
  isOver(): boolean;
  /** The end of what it wrote to stderr. */
  words(): string;
  /** At once, as a crash would. */
  kill(): Promise<void>;
}

/** Starts the program of a contender, or starts it again with the same work. */
export async function startProgram({ name }: Contender, work: Work): Promise<Program> {
  await mkdir(work.folder, { recursive: true });
  const path = join(work.folder, 'work.json');
  await writeFile(path, JSON.stringify(work));
  const child = spawn(process.execPath, [join(__dirname, 'contenders', `${name}.js`), path], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment(),
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-WORDS_KEPT);
  });
  let isOver = false;
  // Its last words have been read by then.
  const ended = (once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>).then(([code, signal]) => {
    isOver = true;
    return code ?? signal ?? 'nothing';
  });
  const lines = createInterface({ input: child.stdout });
  const saying = (awaited: Said['says']): Promise<Said> => {
    const said = new Promise<Said>((resolve) => {
      lines.on('line', (line) => {
        const one = readSaid(line);
        if (one?.says === awaited) resolve(one);
      });
    });
    const cutOff = ended.then((how) => {
      throw new Error(`${name} ended with ${how} before it was ${awaited}: ${words}`);
    });
    const either = Promise.race([said, cutOff]);
    // Nobody may wait for it where the program is killed.
    either.catch(() => undefined);
    return either;
  };
  const done = saying('done');
  done.then(
    () => (isOver = true),
    () => undefined,
  );
  return {
    pid: child.pid ?? 0,
    ready: saying('ready'),
    done,
    isOver: () => isOver,
    words: () => words,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Nothing that a person has set for other programs; memory as a worker of Dailies is started with, for everybody. */
function environment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'FFMPEG_PATH'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), ...LEAN_MALLOC };
}

/** Undefined for what some library prints. */
function readSaid(line: string): Said | undefined {
  try {
    return JSON.parse(line) as Said;
  } catch {
    return undefined;
  }
}

/** Characters of stderr that are kept for an error. */
const WORDS_KEPT = 800;
