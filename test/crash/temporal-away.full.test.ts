import { setTimeout as sleep } from 'node:timers/promises';
import { setStage, type Stage } from '../../drill/stage';
import { openWire, type Wire } from '../../drill/wire';
import { type WorkerProcess } from '../../drill/worker-process';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { planOf } from '../support/rig';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { chains, expectAcceptedOnce } from './chains';

/** Longer than the timeouts of heartbeats, the sticky queue and workflow tasks: Temporal has given up the work. */
const PARTED_MS = 12_000;

/**
 * A submit is on the wire when the partition begins, and its answer comes during the partition: long before a worker of
 * the stage gives a submit up, even on a slow machine.
 */
const LATE_ANSWER_SECONDS = 2;

let stage: Stage;
let wire: Wire;
let worker: WorkerProcess;

beforeAll(async () => {
  stage = await setStage(await temporaryFolder(), { renderSeconds: 2, ...PLAIN });
  wire = await openWire(`http://${stage.temporalAddress}`);
  worker = await stage.startWorker({ temporalAddress: new URL(wire.url).host });
});

afterAll(async () => {
  worker.signal('SIGTERM');
  // The worker has survived all of it.
  expect(await worker.ended).toBe(0);
  await wire.close();
  await stage.close();
});

describe('while Temporal is away', () => {
  it('killed and restarted on its database: the same worker continues, and every take is accepted once', async () => {
    const before = stage.sandbox.tasks();
    const production = await started('killed', before.length + 2);
    await stage.killTemporal();
    expect(await stage.client.status('killed')).toMatchObject({ state: 'running' });
    await expectCompleted(production, before);
  });

  it("cut off from the worker: the gateway's answers meanwhile are recorded, and nothing is sent twice", async () => {
    const before = stage.sandbox.tasks();
    stage.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds: LATE_ANSWER_SECONDS });
    const production = await started('parted', before.length + 1);
    await wire.sever();
    const late = stage.sandbox.tasks().at(before.length);
    await until(async () => (await acceptedIds(production)).includes(late?.id ?? ''));
    await sleep(PARTED_MS);
    // The chains make no progress, so it was a partition.
    expect(stage.sandbox.tasks().length).toBeLessThan(before.length + production.shots.length);
    await wire.mend();
    await expectCompleted(production, before);
  });
});

async function started(id: string, tasks: number): Promise<FrozenProduction> {
  const production = chains(id);
  const frozen = await stage.store.putJson(production);
  await stage.client.render({ productionId: id, production: frozen, plan: planOf(production) });
  await until(() => stage.sandbox.tasks().length >= tasks);
  return production;
}

async function acceptedIds({ id, shots }: FrozenProduction): Promise<readonly string[]> {
  const takes = await Promise.all(shots.map((shot) => stage.store.ledger.takes(id, shot.id)));
  return takes.flat().flatMap(({ sendings }) => sendings.flatMap(({ accepted }) => accepted?.taskId ?? []));
}

async function expectCompleted(
  production: FrozenProduction,
  before: ReturnType<Stage['sandbox']['tasks']>,
): Promise<void> {
  expect(await stage.client.ended(production.id)).toMatchObject({ state: 'completed', assembly: 'completed' });
  await expectAcceptedOnce(stage, production, before);
}
