import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type FailOrder } from './fail-points';

/** Programs are started compiled, also where this module runs from source, as under a test runner. */
const ARMED_WORKER = join(__dirname, __filename.endsWith('.ts') ? '../dist/drill' : '.', 'armed-worker.js');

/** What one worker serves, and by which way it reaches its gateway. */
export interface WorkerSettings {
  readonly temporalAddress: string;
  readonly gatewayUrl: string;
  readonly gatewayKey: string;
  readonly account: string;
  readonly storeFolder: string;
  readonly pollFloorMs: number;
  /** Hosts that assets may come from besides the gateway's own. Default: none. */
  readonly downloadHosts?: readonly string[];
  /** Beside the program: for Node itself, as `--cpu-prof`. Default: none. */
  readonly nodeOptions?: readonly string[];
}

/** What a worker that can be struck is told by its parent. */
export type WorkerOrder = FailOrder | { readonly clockStepMs: number };

export interface WorkerProcess {
  /** Strikes it at a fail point. `stop` needs a SIGCONT later. */
  arm(order: FailOrder): void;
  /** Moves its clock. */
  stepClock(byMs: number): void;
  /** Calls back each time when it is about to be struck by an order. */
  onReached(listener: (order: FailOrder) => void): void;
  signal(signal: NodeJS.Signals): void;
  readonly pid: number;
  /** The signal that ended it, or its exit code. */
  readonly ended: Promise<NodeJS.Signals | number>;
  /** Everything that it wrote. */
  output(): string;
}

/** Starts a worker that can be struck, and waits until it polls. @throws Error with its words where it ends before. */
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
  // A worker that has ended already is seen by its end.
  const tell = (order: WorkerOrder): boolean => child.send(order, () => undefined);
  return {
    ended,
    output,
    pid: child.pid ?? 0,
    arm: tell,
    stepClock: (byMs) => tell({ clockStepMs: byMs }),
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
