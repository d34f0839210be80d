import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drillProductions } from '../drill/productions';
import { setStage } from '../drill/stage';
import { openWire } from '../drill/wire';
import { type WorkerProcess } from '../drill/worker-process';

const ROUNDS = 5;

/** The median that a person who watches takes for going on. */
export const RECOVERY_BOUND_MS = 6_000;

/** Two productions of eight shots, so that some poll is always due soon. */
const PRODUCTIONS = 2;
const POLL_FLOOR_MS = 500;

/** No task ends during the measurement. */
const GATEWAY_SECONDS = 600;

/** A worker that has just come up has not taken all of its work yet. */
const SETTLE_MS = 10_000;

/**
 * Milliseconds from `kill -9` of the only worker, with a new one started at once, to the first request that the new
 * one sends to the gateway.
 */
export async function measureRecovery(): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dailies-bench-'));
  const stage = await setStage(folder, { renderSeconds: GATEWAY_SECONDS });

  async function startOne(): Promise<{
    worker: WorkerProcess;
    firstRequest: Promise<number>;
    leave: () => Promise<void>;
  }> {
    const wire = await openWire(stage.sandbox.url);
    const firstRequest = wire.used.then(() => performance.now());
    const worker = await stage.startWorker({ gatewayUrl: wire.url, pollFloorMs: POLL_FLOOR_MS });
    return { worker, firstRequest, leave: () => wire.close() };
  }

  try {
    let current = await startOne();
    for (const { frozen, plan } of drillProductions(1, PRODUCTIONS, 'park')) {
      const shots = plan.shots.map((shot) => ({ ...shot, deadlineSeconds: GATEWAY_SECONDS }));
      const production = await stage.store.putJson(frozen);
      await stage.client.render({ productionId: frozen.id, production, plan: { ...plan, shots } });
    }
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await sleep(SETTLE_MS);
      const killedAt = performance.now();
      current.worker.signal('SIGKILL');
      await current.leave();
      current = await startOne();
      times.push((await current.firstRequest) - killedAt);
    }
    current.worker.signal('SIGKILL');
    await current.worker.ended;
    await current.leave();
    return times;
  } finally {
    await stage.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
