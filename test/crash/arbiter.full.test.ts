import { type ProductionStatus } from '../../contracts/status';
import { waitsForPeople } from '../../client';
import { batchEnded, pictureRow, startRows } from '../support/batches';
import { film, pictureShot, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';

const IN_FLIGHT = 6;
const SHOTS = 5;

const PRODUCTIONS = ['one', 'two', 'three'];

/** Rows of an additional batch with the lowest priority: as many tasks as all others together. */
const ROWS = 15;

describe('limits under fire', () => {
  let rig: Rig;
  const workers: WorkerProcess[] = [];

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 3 }, { inProcess: false });
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
    await rig.close();
  });

  async function start(): Promise<WorkerProcess> {
    const worker = await startWorkerProcess(rig);
    workers.push(worker);
    return worker;
  }
  async function kill(worker: WorkerProcess): Promise<void> {
    workers.splice(workers.indexOf(worker), 1);
    await worker.kill('SIGKILL');
  }
  const accepted = (): number => rig.sandbox.tasks().length;

  /** Waits until it has ended; unclear takes are decided by the sandbox's list of tasks. */
  async function ended(id: string): Promise<ProductionStatus> {
    return until(async () => {
      const status = await rig.client.status(id);
      if (status === undefined || status.state !== 'running') return status;
      if (!waitsForPeople(status)) return false;
      for (const { id: shot, parked, takes } of status.shots) {
        if (parked?.for !== 'unclear') continue;
        await decide(id, shot, takes.at(-1)?.takeKey);
      }
      return false;
    });
  }

  /** Submits on the wire are unclear: the gateway's own list says whether they were accepted. */
  async function decide(id: string, shot: string, takeKey: string | undefined): Promise<void> {
    const task = rig.sandbox.tasks().find(({ idempotencyKey }) => idempotencyKey === takeKey);
    const decision = task === undefined ? { kind: 'resubmit' as const } : { kind: 'adopt' as const, taskId: task.id };
    await rig.client.resolve(id, shot, decision).catch(() => undefined);
  }

  /** The batch ends while rows are unclear; they continue after a decision. */
  async function rowsEnded(): Promise<void> {
    const { parked } = await batchEnded(rig, 'rows');
    for (const { key } of parked) {
      const [take] = await rig.store.ledger.takes('rows', key);
      await decide('rows', key, take?.intent.takeKey);
    }
    await until(async () => (await rig.client.batches.report('rows'))?.counts.completed === ROWS);
  }

  it('never allows more unfinished tasks than the limit, although every worker is killed, and the arbiter with them', async () => {
    await rig.store.account('sandbox').limits.change(() => ({ account: { inFlight: IN_FLIGHT }, models: {} }));
    const [first, second] = [await start(), await start()];
    const rows = Array.from({ length: ROWS }, (_, index) => pictureRow(`r${index}`));
    await startRows(rig, 'rows', rows, { parallel: ROWS });
    for (const id of PRODUCTIONS) {
      const shots = Array.from({ length: SHOTS }, (_, index) =>
        pictureShot(`s${index}`, { parameters: { prompt: `${id} s${index}`, width: 64, height: 36 } }),
      );
      await rig.start(film(id, shots), { assemble: false, maxInFlight: SHOTS });
    }
    await until(() => accepted() > 8);
    await kill(first);
    await until(() => accepted() > 16);
    // The last worker runs the arbiter, whichever ran it before.
    await kill(second);
    await Promise.all([start(), start()]);
    for (const id of PRODUCTIONS) expect(await ended(id)).toMatchObject({ state: 'completed' });
    await rowsEnded();
    const { mostUnfinished } = rig.sandbox.counts();
    expect(mostUnfinished).toBeLessThanOrEqual(IN_FLIGHT);
    expect(mostUnfinished).toBe(IN_FLIGHT);
    expect(accepted()).toBe(PRODUCTIONS.length * SHOTS + ROWS);
  });
});
