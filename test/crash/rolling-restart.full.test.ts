import { type ProductionStatus } from '../../contracts/status';
import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';
import { chains, expectAcceptedOnce } from './chains';

/** How long a leaving worker has a submit on the wire. */
const LATE_ANSWER_SECONDS = 3;

describe('a rolling restart under load', () => {
  let rig: Rig;
  const workers: WorkerProcess[] = [];

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 2 }, { inProcess: false });
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

  /** The end of the production, or that it waits for a person. */
  function restingState(id: string): Promise<ProductionStatus> {
    return until(async () => {
      const status = await rig.client.status(id);
      const rests = status?.state !== 'running' || status.shots.some(({ state }) => state === 'parked');
      return rests && status;
    });
  }

  it('replaces both workers, one after the other, and every take is accepted once', async () => {
    const production = chains('rolled');
    const old = [await start(), await start()];
    rig.sandbox.faults.inject({ kind: 'accept-late', share: 1, seconds: LATE_ANSWER_SECONDS });
    await rig.start(production);
    for (const [index, worker] of old.entries()) {
      // Four more submits are on the wire, accepted and not yet answered.
      await until(() => rig.sandbox.tasks().length >= 4 * (index + 1));
      await worker.kill('SIGTERM');
      expect(worker.process.exitCode).toBe(0);
      // Before another one starts: on a slow machine the film is complete by then.
      expect(await rig.client.status('rolled')).toMatchObject({ state: 'running' });
      await start();
    }
    expect(await restingState('rolled')).toMatchObject({ state: 'completed', assembly: 'completed' });
    await expectAcceptedOnce(rig, production);
  });
});
