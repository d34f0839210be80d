import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';
import { inFolder } from '../client/working-folder';
import { EXIT, type ExitCode } from './exit-codes';

/** What a command is asked on. */
export type Input = Readable & { readonly isTTY?: boolean };

/** What a command writes to; a terminal has a size. */
export type Output = Writable & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>>;

/** What a command takes from the process that it runs in. */
export interface Surroundings {
  /** Where relative paths start, and where `out/` goes. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Emits `SIGINT`, `SIGTERM` and `SIGHUP`. */
  readonly signals: { on(signal: string, listener: () => void): unknown };
}

interface Run {
  readonly surroundings: Surroundings;
  exitCode: ExitCode;
}

const current = new AsyncLocalStorage<Run>();

/** The process's own. */
export function processSurroundings(): Surroundings {
  const { env, stdin, stdout, stderr } = process;
  return { cwd: process.cwd(), env, stdin, stdout, stderr, signals: process };
}

/** Those of the command that runs. Whatever runs in no command has the process's. */
export function surroundings(): Surroundings {
  return current.getStore()?.surroundings ?? processSurroundings();
}

/** Says what the command that runs ends with. */
export function endWith(exitCode: ExitCode): void {
  const run = current.getStore();
  if (run === undefined) throw new Error('no command runs');
  run.exitCode = exitCode;
}

/** Runs a command in surroundings of its own, and returns what it ends with. */
export async function within(own: Surroundings, command: () => Promise<unknown>): Promise<ExitCode> {
  const run: Run = { surroundings: own, exitCode: EXIT.completed };
  await current.run(run, () => inFolder(own.cwd, command));
  return run.exitCode;
}
