import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';
import { inWorkingFolder } from '../../client/wording/working-folder';
import { EXIT, type ExitCode } from './exit-codes';

/** The stream from which a command reads a person's answers. */
export type Input = Readable & { readonly isTTY?: boolean };

/** A stream to which a command writes; only a terminal has a size. */
export type Output = Writable & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>>;

/** The working directory, environment, streams and signals of a command. */
export interface Surroundings {
  /** The base of relative paths, and the folder in which `out/` is created. */
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

export function processSurroundings(): Surroundings {
  const { env, stdout, stderr } = process;
  return {
    ...{ cwd: process.cwd(), env, stdout, stderr, signals: process },
    // A getter, because Node opens stdin at the first access, and most commands do not read it.
    get stdin() {
      return process.stdin;
    },
  };
}

/** The surroundings of the running command, or of the process if no command runs. */
export function surroundings(): Surroundings {
  return current.getStore()?.surroundings ?? processSurroundings();
}

/** Sets the exit code of the running command. */
export function endWith(exitCode: ExitCode): void {
  const run = current.getStore();
  if (run === undefined) throw new Error('no command runs');
  run.exitCode = exitCode;
}

export async function within(own: Surroundings, command: () => Promise<unknown>): Promise<ExitCode> {
  const run: Run = { surroundings: own, exitCode: EXIT.completed };
  await current.run(run, () => inWorkingFolder(own.cwd, command));
  return run.exitCode;
}
