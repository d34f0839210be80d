import { batchEnded, clipRow, startRows } from '../support/batches';
import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';

const ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
/** How long a clip is known to take. With the margin, a worker can start anew within it on a busy machine. */
const USUAL_SECONDS = 10;
const MARGIN_SECONDS = 10;
/** How long before readyBy the last moment is. */
const MOMENT_SECONDS = USUAL_SECONDS + MARGIN_SECONDS;
const READY_SECONDS = MOMENT_SECONDS + 21;

describe('a batch whose worker is killed at the last moment, and again when the fallback is first sent', () => {
  it('ends every row once, as written or by the fallback, and is charged for each once', async () => {
    const rig = await startRig({ renderSeconds: 3 }, { inProcess: false });
    const workers: WorkerProcess[] = [];
    const kill = async (): Promise<void> => {
      await Promise.all(workers.splice(0).map((worker) => worker.kill('SIGKILL')));
      workers.push(await startWorkerProcess(rig));
    };
    try {
      const times = rig.store.account('sandbox').usualTimes;
      for (let n = 0; n < 3; n += 1) await times.note('beta-2.5', USUAL_SECONDS * 1_000);
      await rig.store.account('sandbox').limits.change(() => ({ account: { inFlight: 1 }, models: {} }));
      workers.push(await startWorkerProcess(rig));
      const readyMs = Date.now() + READY_SECONDS * 1_000;
      const time = { readyBy: new Date(readyMs).toISOString(), fallback: { duration: 4 } };
      await startRows(
        rig,
        'killed',
        ROWS.map((key) => clipRow(key)),
        { parallel: ROWS.length, time },
      );
      // The other rows wait for their turn.
      await until(() => rig.sandbox.tasks().length > 0);
      await until(() => Date.now() >= readyMs - MOMENT_SECONDS * 1_000);
      await kill();
      await until(() => lengths(rig).includes(4));
      await kill();
      const { parked } = await batchEnded(rig, 'killed');
      for (const { key } of parked) await decide(rig, key);
      const report = await until(async () => {
        const now = await rig.client.batches.report('killed');
        return now?.counts.completed === ROWS.length && now;
      });
      const lowered = lengths(rig).filter((length) => length === 4).length;
      expect(rig.sandbox.tasks()).toHaveLength(ROWS.length);
      expect(new Set(rig.sandbox.tasks().map(({ parameters }) => parameters['prompt'])).size).toBe(ROWS.length);
      expect([report.readyBy?.fallback, lowered < ROWS.length]).toEqual([lowered, true]);
    } finally {
      await Promise.all(workers.map((worker) => worker.kill('SIGTERM')));
      await rig.close();
    }
  });
});

function lengths({ sandbox }: Rig): readonly unknown[] {
  return sandbox.tasks().map(({ parameters }) => parameters['duration']);
}

/** A row that was being sent when its worker was killed: the gateway's own list says whether it was accepted. */
async function decide({ client, sandbox, store }: Rig, key: string): Promise<void> {
  const takes = await store.ledger.takes('killed', key);
  const names = takes.map(({ intent }) => intent.takeKey);
  const task = sandbox.tasks().find(({ idempotencyKey }) => names.includes(idempotencyKey ?? ''));
  await client.resolve('killed', key, task === undefined ? { kind: 'resubmit' } : { kind: 'adopt', taskId: task.id });
}
