import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { DRILL_ACCOUNT, DRILL_KEY, setStage, type Stage } from '../drill/stage';
import { type WorkerProcess } from '../drill/worker-process';
import { dailies } from './command';

const ROUNDS = 9;
const WORKER_ROUNDS = 5;
const WARM_ROUNDS = 3;

/** What `npm start` renders. */
const LIGHTHOUSE = join(__dirname, '..', '..', 'productions', 'lighthouse.yaml');

/** Milliseconds that `dailies --help` takes, from start of the process to its end. */
export function measureHelp(): Promise<readonly number[]> {
  return timed(ROUNDS, () => dailies(['--help']));
}

/** Milliseconds that what comes and goes on a running Temporal server takes. */
export interface ServedMeasure {
  /** From the start of a worker's process until it polls. */
  readonly prebuilt: readonly number[];
  /** What bundling the workflows would add to that. */
  readonly bundling: readonly number[];
  /** `dailies status` of a production that has ended, from start of the process to its end. */
  readonly status: readonly number[];
}

export async function measureServed(): Promise<ServedMeasure> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-bench-'));
  const stage = await setStage(folder);
  try {
    const prebuilt = await timed(WORKER_ROUNDS, async () => {
      const worker = await stage.startWorker();
      return () => end(worker);
    });
    const workflowsPath = join(__dirname, '..', 'workflows', 'index.js');
    const bundling = await timed(WORKER_ROUNDS, () => bundleWorkflowCode({ workflowsPath, logger: SILENT }));
    return { prebuilt, bundling, status: await measureStatus(stage, folder) };
  } finally {
    await stage.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measureStatus({ temporalAddress, sandbox, store }: Stage, folder: string): Promise<readonly number[]> {
  const env = {
    TEMPORAL_ADDRESS: temporalAddress,
    DAILIES_STORE: store.folder,
    DAILIES_GATEWAY_URL: sandbox.url,
    DAILIES_GATEWAY_KEY: DRILL_KEY,
    DAILIES_GATEWAY_ACCOUNT: DRILL_ACCOUNT,
  };
  const file = join(folder, 'still.json');
  await writeFile(file, JSON.stringify(STILL));
  await dailies(['render', file, '--up', '--json', '--out', join(folder, 'out')], env);
  return timed(ROUNDS, () => dailies(['status', 'still'], env));
}

const STILL = {
  title: 'Still',
  models: { 'pixel-image-1': { output: 'image' } },
  shots: [{ id: 'sea', model: 'pixel-image-1', prompt: 'the sea', width: 64, height: 36 }],
};

/**
 * Milliseconds that `npm start` takes once more, when all of its film is there: Temporal, sandbox and worker come up, and
 * nothing is rendered.
 */
export async function measureWarmStart(): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-bench-'));
  const start = (): Promise<string> =>
    dailies(['render', LIGHTHOUSE, '--up', '--json', '--out', join(folder, 'out')], {
      DAILIES_STORE: join(folder, 'store'),
    });
  try {
    await start();
    return await timed(WARM_ROUNDS, start);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function end(worker: WorkerProcess): Promise<void> {
  worker.signal('SIGTERM');
  await worker.ended;
}

const nothing = (): undefined => undefined;
const SILENT = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/** What `work` returns as a function is done after the clock was stopped. */
async function timed(rounds: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    const after = await work();
    times.push(performance.now() - begun);
    if (typeof after === 'function') await (after as () => Promise<void>)();
  }
  return times;
}
