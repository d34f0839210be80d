import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { rigEnv, type Rig } from './rig';

const MAIN = join(__dirname, '..', '..', 'dist', 'workers', 'main.js');

export interface WorkerProcess {
  readonly process: ChildProcess;
  /** Everything that the worker wrote to stdout and stderr. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a worker process as in production and waits until it is ready. */
export async function startWorkerProcess(rig: Rig, env: Readonly<Record<string, string>> = {}): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...rigEnv(rig),
      DAILIES_POLL_FLOOR_MS: '250',
      ...env,
    },
  });
  // The message of the embedded set to a worker that it restarts.
  child.send({ settings: null, announced: {} });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = (): string => Buffer.concat(chunks).toString();
  const ready = once(child, 'message');
  const ended = once(child, 'exit');
  await Promise.race([ready, ended.then(() => Promise.reject(new Error(`the worker ended: ${output()}`)))]);
  return {
    process: child,
    output,
    async kill(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
