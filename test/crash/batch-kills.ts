import { ledgerState } from '../../store';
import { batchEnded, startRows, textRows } from '../support/batches';
import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';

/**
 * Kills every worker twice in the midst of a batch, decides on the rows that this left unclear by what the gateway has
 * accepted, and expects that every row has ended once and was charged once.
 */
export async function killsInABatch(rows: number, parallel: number): Promise<void> {
  const rig = await startRig({}, { inProcess: false });
  const workers: WorkerProcess[] = [];
  const startTwo = async (): Promise<void> => {
    workers.push(...(await Promise.all([startWorkerProcess(rig), startWorkerProcess(rig)])));
  };
  try {
    await startTwo();
    // Each task takes a while, so that rows are left whenever this process looks.
    rig.sandbox.faults.inject({ kind: 'slow', on: 'submit', share: 1, seconds: 1 });
    await startRows(rig, 'killed', textRows(rows), { parallel });
    for (const part of [0.25, 0.6]) {
      await until(() => rig.sandbox.tasks().length >= rows * part);
      await Promise.all(workers.splice(0).map((worker) => worker.kill('SIGKILL')));
      expect(rig.sandbox.tasks().length).toBeLessThan(rows);
      await startTwo();
    }
    const { parked } = await batchEnded(rig, 'killed');
    for (const { key } of parked) await decide(rig, key);
    const report = await until(async () => {
      const now = await rig.client.batches.report('killed');
      return now?.counts.completed === rows && now;
    });
    expect(report.parked).toEqual([]);
    await expectChargedOnce(rig, rows);
  } finally {
    await Promise.all(workers.map((worker) => worker.kill('SIGTERM')));
    await rig.close();
  }
}

/** A row that was being sent when its worker was killed: the gateway's own list says whether it was accepted. */
async function decide({ client, sandbox, store }: Rig, key: string): Promise<void> {
  const [take] = await store.ledger.takes('killed', key);
  const task = sandbox.tasks().find(({ idempotencyKey }) => idempotencyKey === take?.intent.takeKey);
  await client.resolve('killed', key, task === undefined ? { kind: 'resubmit' } : { kind: 'adopt', taskId: task.id });
}

async function expectChargedOnce({ client, sandbox, store }: Rig, rows: number): Promise<void> {
  const takes = (
    await Promise.all(textRows(rows).map((row) => store.ledger.takes('killed', String(row['key']))))
  ).flat();
  expect(takes.map((take) => ledgerState(take).is)).toEqual(textRows(rows).map(() => 'settled'));
  const accepted = sandbox.tasks().map(({ idempotencyKey }) => idempotencyKey);
  expect(accepted.toSorted()).toEqual(takes.map(({ intent }) => intent.takeKey).toSorted());
  expect((await client.batches.report('killed'))?.credits).toBe(rows);
}
