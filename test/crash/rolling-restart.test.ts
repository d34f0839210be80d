import { type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';
import { chains, expectAcceptedOnce } from './chains';

jest.setTimeout(300_000);

describe('a rolling restart under load', () => {
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

  it('replaces both workers, one after the other, and every take is accepted once', async () => {
    const production = chains('rolled');
    const old = [await start(), await start()];
    await rig.start(production);
    for (const [index, worker] of old.entries()) {
      // Chains are under way at the gateway, and links of them are still to be submitted.
      await until(() => rig.sandbox.tasks().length >= 4 * (index + 1));
      await start();
      await worker.kill('SIGTERM');
      expect(worker.process.exitCode).toBe(0);
      expect(await rig.client.status('rolled')).toMatchObject({ state: 'running' });
    }
    expect(await rig.client.ended('rolled')).toMatchObject({ state: 'completed', assembly: 'completed' });
    await expectAcceptedOnce(rig, production);
  });
});
