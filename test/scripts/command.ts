import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The command as a person runs it: compiled, a process of its own. */
const DAILIES = join(__dirname, '..', '..', 'dist', 'scripts', 'dailies.js');

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
}

export interface Place {
  /** Where it runs, and where `out/` goes. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the command with its store in the place's own folder, and none of the person's configuration. */
export function startDailies(args: readonly string[], { folder, env = {} }: Place): RunningCommand {
  const child = spawn(process.execPath, [DAILIES, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(DAILIES_GATEWAY|TEMPORAL)_/.test(name))),
      DAILIES_STORE: join(folder, 'store'),
      ...env,
    },
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  return {
    process: child,
    ended: once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, ...written })),
    stdout: () => written.stdout,
    stderr: () => written.stderr,
  };
}

export function dailies(args: readonly string[], place: Place): Promise<Ended> {
  return startDailies(args, place).ended;
}
