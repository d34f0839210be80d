import { betaShot, film, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess, type WorkerProcess } from '../support/worker-process';

export let rig: Rig;
export let worker: WorkerProcess;

beforeAll(async () => {
  rig = await startRig({ renderSeconds: 1 }, { inProcess: false });
});

afterAll(async () => {
  worker.process.kill('SIGKILL');
  await rig.close();
});

export const hasEnded = (): boolean => worker.process.exitCode !== null || worker.process.signalCode !== null;

/** @param seconds how long the submit is on the wire: accepted, and not yet answered. */
export async function withSubmitInFlight(id: string, seconds: number): Promise<void> {
  worker = await startWorkerProcess(rig);
  rig.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds });
  const before = rig.sandbox.tasks().length;
  await rig.start(film(id, [betaShot('dawn')]));
  await until(() => rig.sandbox.tasks().length > before);
}

export async function signal(name: NodeJS.Signals, words: string): Promise<void> {
  worker.process.kill(name);
  await until(() => worker.output().includes(words));
  // One Ctrl-C may arrive twice at once; the pause makes these separate signals.
  await new Promise((resolve) => setTimeout(resolve, 300));
}
