import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { DRILL_ACCOUNT, DRILL_KEY, setStage } from '../drill/stage';
import { startWorkerProcess } from '../drill/worker-process';
import { dailies } from './command';

const ROUNDS = 9;
const WORKER_ROUNDS = 5;

/** Milliseconds that `dailies --help` takes, from start of the process to its end. */
export function measureHelp(): Promise<readonly number[]> {
  return timed(ROUNDS, () => dailies(['--help']));
}

/** Milliseconds from the start of a worker's process until it polls, and what bundling the workflows would add. */
export async function measureWorkerStart(): Promise<{
  readonly prebuilt: readonly number[];
  readonly bundling: readonly number[];
}> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-bench-'));
  const stage = await setStage(folder);
  try {
    const prebuilt = await timed(WORKER_ROUNDS, async () => {
      const worker = await startWorkerProcess({
        temporalAddress: stage.temporalAddress,
        gatewayUrl: stage.sandbox.url,
        gatewayKey: DRILL_KEY,
        account: DRILL_ACCOUNT,
        storeFolder: stage.store.folder,
        pollFloorMs: 500,
      });
      return async () => {
        worker.signal('SIGTERM');
        await worker.ended;
      };
    });
    const workflowsPath = join(__dirname, '..', 'workflows', 'index.js');
    const bundling = await timed(WORKER_ROUNDS, () => bundleWorkflowCode({ workflowsPath, logger: SILENT }));
    return { prebuilt, bundling };
  } finally {
    await stage.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
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
