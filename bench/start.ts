import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { workflowQueue } from '../contracts/task-queues';
import { DRILL_ACCOUNT, type Stage } from '../drill/stage';
import { accountHash } from '../store';
import { DAILIES, dailies, environmentOf, startNode } from './command';
import { type Finding, found } from './finding';
import { inOwnFolder, onOwnStage } from './own-folder';

const ROUNDS = 9;
const WORKER_ROUNDS = 5;
const WARM_ROUNDS = 3;

/** Interval between reads of the queue's pollers. It limits the precision of the measured times. */
const LOOK_EVERY_MS = 5;

/** The film that `npm start` renders. */
const LIGHTHOUSE = join(__dirname, '..', '..', 'productions', 'lighthouse.yaml');

/** Milliseconds of `dailies --help`, from the start of the process to its end. */
export function measureHelp(): Promise<readonly number[]> {
  return timed(ROUNDS, () => dailies(['--help']));
}

/**
 * Milliseconds from the start of a worker process until Temporal lists the process as a poller for workflow tasks. One
 * finding is for `dailies worker` with its prebuilt bundle, one for a worker that bundles its workflows at start.
 */
export function measureWorkerStart(): Promise<readonly Finding[]> {
  return onOwnStage({}, async (stage) => {
    const prebuilt = await timed(WORKER_ROUNDS, () => startPolling(stage, [DAILIES, 'worker']));
    const bundling = await timed(WORKER_ROUNDS, () => startPolling(stage, [join(__dirname, 'bundling-worker.js')]));
    return [found('worker until it polls', 'ms', prebuilt), found('... that bundles its workflows', 'ms', bundling)];
  });
}

/**
 * Starts a worker and waits for its first poll.
 *
 * @returns a function that ends the worker.
 * @throws Error with the worker's stderr if the worker ends first.
 */
async function startPolling(stage: Stage, args: readonly string[]): Promise<() => Promise<void>> {
  const child = startNode(args, environmentOf(stage));
  const said = text(child.stderr);
  child.stdout.resume();
  const ended = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  try {
    while (!(await pollersOf(stage)).some((identity) => identity.startsWith(`${child.pid}@`))) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the worker ended: ${await said}`);
      await sleep(LOOK_EVERY_MS);
    }
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

/** Identities of the pollers for workflow tasks. A worker's identity begins with its process id. */
async function pollersOf({ temporal, store }: Stage): Promise<readonly string[]> {
  const { connection, namespace } = temporal;
  const name = workflowQueue({ account: accountHash(DRILL_ACCOUNT), storeId: store.id });
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name },
  });
  return pollers.map(({ identity }) => identity ?? '');
}

/** Milliseconds of `dailies status` for a production that has ended, from the start of the process to its end. */
export function measureStatus(): Promise<readonly number[]> {
  return onOwnStage({}, async (stage, folder) => {
    const env = environmentOf(stage);
    const file = join(folder, 'still.json');
    await writeFile(file, JSON.stringify(STILL));
    await dailies(['render', file, '--up', '--json', '--out', join(folder, 'out')], env);
    return timed(ROUNDS, () => dailies(['status', 'still'], env));
  });
}

const STILL = {
  title: 'Still',
  models: { 'pixel-image-1': { output: 'image' } },
  shots: [{ id: 'sea', model: 'pixel-image-1', prompt: 'the sea', width: 64, height: 36 }],
};

/**
 * Milliseconds of the command that `npm start` runs, if its film is already complete: Temporal, sandbox and worker
 * start, and nothing is rendered.
 */
export function measureWarmStart(): Promise<readonly number[]> {
  return inOwnFolder(async (folder) => {
    const start = (): Promise<string> =>
      dailies(['render', LIGHTHOUSE, '--up', '--json', '--out', join(folder, 'out')], {
        DAILIES_STORE: join(folder, 'store'),
      });
    await start();
    return timed(WARM_ROUNDS, start);
  });
}

/** Times each round. If `work` returns a function, calls the function after the clock has stopped. */
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
