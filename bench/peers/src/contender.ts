import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LEAN_MALLOC } from '../../../dist/workers/lean-memory';
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
  readonly startService?: (folder: string) => Promise<Service>;
}

export const CONTENDERS: readonly Contender[] = [
  { name: 'dailies', title: 'Dailies', startService: startTemporal },
  { name: 'plain-fal', title: 'plain script, as fal-js' },
  { name: 'plain-runway', title: 'plain script, as runwayml' },
  { name: 'bullmq', title: 'BullMQ on Redis', startService: startRedis },
  { name: 'dbos', title: 'DBOS on PostgreSQL', startService: startPostgres },
  { name: 'restate', title: 'Restate', startService: startRestate },
];

/** A contender's program, under way. */
export interface Program {
  readonly pid: number;
  /** When it says that it can begin. @throws Error with its words where it ends before. */
  readonly ready: Promise<void>;
  /** Resolves once all is in its place. @throws Error with its words where it ends otherwise. */
  readonly done: Promise<void>;
  hasEnded(): boolean;
  /** At once, as a crash would. */
  kill(): Promise<void>;
}

/** Starts the program of a contender, or starts it again with the same work. */
export async function startProgram({ name }: Contender, work: Work): Promise<Program> {
  await mkdir(work.folder, { recursive: true });
  const path = join(work.folder, 'work.json');
  await writeFile(path, JSON.stringify(work));
  const child = spawn(process.execPath, [join(__dirname, 'contenders', `${name}.js`), path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // As a worker of Dailies is started; for everybody alike.
    env: { ...process.env, ...LEAN_MALLOC },
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-WORDS_KEPT);
  });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const told = once(child.stdout, 'data');
  const ready = Promise.race([
    told.then(() => undefined),
    ended.then(() => {
      throw new Error(`${name} ended before it was ready: ${words}`);
    }),
  ]);
  const done = ended.then(([code, signal]) => {
    if (code !== 0) throw new Error(`${name} ended with ${code ?? signal ?? 'nothing'}: ${words}`);
  });
  // Nobody may wait for them where it is killed.
  ready.catch(() => undefined);
  done.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ready,
    done,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Characters of stderr that are kept for an error. */
const WORDS_KEPT = 800;
