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

/** A program in contenders/ that does the work, and the server that this program needs. */
export interface Contender {
  /** Name of the program's file in contenders/, without the extension. */
  readonly name: string;
  readonly title: string;
  /** Absent for a plain script. */
  readonly server?: { readonly title: string; readonly start: (folder: string) => Promise<Service> };
}

export const CONTENDERS: readonly Contender[] = [
  { name: 'dailies', title: 'Dailies', server: { title: 'Temporal', start: startTemporal } },
  { name: 'plain-fal', title: 'plain script, like fal-js' },
  { name: 'plain-runway', title: 'plain script, like runwayml' },
  { name: 'bullmq', title: 'BullMQ on Redis', server: { title: 'Redis', start: startRedis } },
  { name: 'dbos', title: 'DBOS on PostgreSQL', server: { title: 'PostgreSQL', start: startPostgres } },
  { name: 'restate', title: 'Restate', server: { title: 'Restate', start: startRestate } },
];

export interface Program {
  readonly pid: number;
  /** Resolves when the program says that it can begin. Rejects with its stderr if the program ends first. */
  readonly ready: Promise<Said>;
  /** Resolves when the program says that all outputs are in place. Rejects with its stderr if it ends first. */
  readonly done: Promise<Said>;
  /** True if the program has said that it is done, or has ended. */
  isOver(): boolean;
  /** The last 800 characters of its stderr. */
  words(): string;
  /** Kills the process, as a crash would, and waits for its end. */
  kill(): Promise<void>;
}

/** Starts a contender's program, or restarts it with the same work. */
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
  // Unlike `exit`, `close` comes after all output has been read.
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
    // Avoids an unhandled rejection if the program is killed while no caller awaits this promise.
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

/** The same environment for all contenders: only a few variables of this process, and a worker's memory settings. */
function environment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'FFMPEG_PATH'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), ...LEAN_MALLOC };
}

/** Parses a line of stdout. Returns undefined for a line that is not JSON: a library may have printed it. */
function readSaid(line: string): Said | undefined {
  try {
    return JSON.parse(line) as Said;
  } catch {
    return undefined;
  }
}

/** Number of characters of stderr that are kept. */
const WORDS_KEPT = 800;
