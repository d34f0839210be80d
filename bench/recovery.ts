import { setTimeout as sleep } from 'node:timers/promises';
import { drillProductions } from '../drill/productions';
import { type Stage } from '../drill/stage';
import { openWire } from '../drill/wire';
import { onOwnStage } from './own-folder';

const ROUNDS = 5;

/** Highest acceptable median. A person who watches the progress does not notice a shorter interruption. */
export const RECOVERY_BOUND_MS = 6_000;

/** Two productions of eight clips each, so that a poll is always due soon. */
const PRODUCTIONS = 2;
const POLL_FLOOR_MS = 500;

/** Duration of a task at the sandbox: longer than the measurement, so that no task ends during it. */
const TASK_SECONDS = 600;

/** Time that a new worker gets to take over all work. */
const SETTLE_MS = 10_000;

/**
 * Measures recovery: the milliseconds from `kill -9` of the only worker to the first connection of a new worker to
 * the gateway. The new worker starts as soon as the old worker is killed.
 */
export function measureRecovery(): Promise<readonly number[]> {
  return onOwnStage({ renderSeconds: TASK_SECONDS }, async (stage) => {
    for (const { frozen, plan } of drillProductions(1, PRODUCTIONS, 'park')) {
      const shots = plan.shots.map((shot) => ({ ...shot, deadlineSeconds: TASK_SECONDS }));
      const production = await stage.store.putJson(frozen);
      await stage.client.render({ productionId: frozen.id, production, plan: { ...plan, shots } });
    }
    const times: number[] = [];
    let current = await startWatched(stage);
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        await sleep(SETTLE_MS);
        const killedAt = performance.now();
        await current.kill();
        current = await startWatched(stage);
        times.push((await current.firstRequest) - killedAt);
      }
    } finally {
      await current.kill();
    }
    return times;
  });
}

interface WatchedWorker {
  /** Time of the worker's first connection to the gateway, by `performance.now()`. */
  readonly firstRequest: Promise<number>;
  kill(): Promise<void>;
}

/** Starts a worker with its own proxy to the gateway. */
async function startWatched(stage: Stage): Promise<WatchedWorker> {
  const wire = await openWire(stage.sandbox.url);
  const firstRequest = wire.used.then(() => performance.now());
  try {
    const worker = await stage.startWorker({ gatewayUrl: wire.url, pollFloorMs: POLL_FLOOR_MS });
    return {
      firstRequest,
      async kill() {
        worker.signal('SIGKILL');
        await wire.close();
      },
    };
  } catch (error) {
    await wire.close();
    throw error;
  }
}
