import { betaShot, film, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';

/** How long a submit is on the wire, accepted and not yet answered. */
const LATE_ANSWER_SECONDS = 8;

describe('a worker that is asked to end while a submit is in flight', () => {
  let rig: Rig;
  let worker: WorkerProcess;

  beforeAll(async () => {
    rig = await startRig({ renderSeconds: 1 }, { inProcess: false });
  });

  afterAll(async () => {
    worker.process.kill('SIGKILL');
    await rig.close();
  });

  const ended = () => worker.process.exitCode !== null || worker.process.signalCode !== null;

  async function withSubmitInFlight(id: string): Promise<void> {
    worker = await startWorkerProcess(rig);
    rig.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds: LATE_ANSWER_SECONDS });
    const before = rig.sandbox.tasks().length;
    await rig.start(film(id, [betaShot('dawn')]));
    await until(() => rig.sandbox.tasks().length > before);
  }

  async function signal(name: NodeJS.Signals, words: string): Promise<void> {
    worker.process.kill(name);
    await until(() => worker.output().includes(words));
    // One Ctrl-C may arrive twice at once; the pause makes these separate signals.
    await new Promise((resolve) => setTimeout(resolve, 300));
  }

  it('says at the second signal what it waits for, and has the answer noted', async () => {
    await withSubmitInFlight('twice');
    await signal('SIGTERM', 'asked to end by SIGTERM');
    await signal('SIGTERM', 'SIGTERM again: ending already; waits for submits in flight: take 1 of twice');
    await until(ended);
    expect(worker.process.exitCode).toBe(0);
    const [take] = await rig.store.ledger.takes('twice', 'dawn');
    expect(take?.sendings).toMatchObject([{ accepted: { taskId: rig.sandbox.tasks()[0]?.id } }]);
  });
});
