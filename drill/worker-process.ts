import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type FailOrder } from './fail-points';

/** Path of the compiled program, even if this module runs from source in a test. */
const ARMED_WORKER = join(__dirname, __filename.endsWith('.ts') ? '../dist/drill' : '.', 'armed-worker.js');

/** The services that a worker uses, and its settings. */
export interface WorkerSettings {
  readonly temporalAddress: string;
  readonly gatewayUrl: string;
  readonly gatewayKey: string;
  readonly account: string;
  readonly storeFolder: string;
  readonly pollFloorMs: number;
  /** Hosts in private networks that assets may come from, in addition to the gateway's host. Default: none. */
  readonly downloadHosts?: readonly string[];
  /** Options for Node itself, such as `--cpu-prof`. Default: none. */
  readonly nodeOptions?: readonly string[];
}

/** An order to a worker: SIGKILL or SIGSTOP at a fail point, or a step of its clock. */
export type WorkerOrder = FailOrder | { readonly clockStepMs: number };

export interface WorkerProcess {
  /** Orders SIGKILL or SIGSTOP at a fail point. A stopped worker continues after a SIGCONT. */
  arm(order: FailOrder): void;
  stepClock(byMs: number): void;
  /** Calls the listener each time the worker is about to be killed or stopped at a fail point. */
  onReached(listener: (order: FailOrder) => void): void;
  signal(signal: NodeJS.Signals): void;
  readonly pid: number;
  /** The signal that ended the worker, or its exit code. */
  readonly ended: Promise<NodeJS.Signals | number>;
  /** Everything that the worker wrote. */
  output(): string;
}

/** Starts a worker and waits until it polls. @throws Error with the worker's output if the worker ends first. */
export async function startWorkerProcess(settings: WorkerSettings): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [...(settings.nodeOptions ?? []), ARMED_WORKER], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TEMPORAL_ADDRESS: settings.temporalAddress,
      DAILIES_GATEWAY_URL: settings.gatewayUrl,
      DAILIES_GATEWAY_KEY: settings.gatewayKey,
      DAILIES_GATEWAY_ACCOUNT: settings.account,
      DAILIES_STORE: settings.storeFolder,
      DAILIES_POLL_FLOOR_MS: String(settings.pollFloorMs),
      DAILIES_DOWNLOAD_HOSTS: (settings.downloadHosts ?? []).join(','),
    },
  });
  const output = gather(child);
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as NodeJS.Signals | number);
  const isReady = once(child, 'message').then(() => true);
  if (!(await Promise.race([isReady, ended.then(() => false)]))) throw new Error(`the worker ended: ${output()}`);
  // Ignore the error: `ended` reports that the worker has ended.
  const send = (order: WorkerOrder): boolean => child.send(order, () => undefined);
  return {
    ended,
    output,
    pid: child.pid ?? 0,
    arm: send,
    stepClock: (byMs) => send({ clockStepMs: byMs }),
    onReached: (listener) =>
      child.on('message', (message) => {
        listener((message as { reached: FailOrder }).reached);
      }),
    signal: (signal) => child.kill(signal),
  };
}

function gather(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
