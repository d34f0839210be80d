import { betaShot, film, linkedShot, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { startWorkerProcess } from '../support/worker-process';

describe('a worker as a process', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig({ renderSeconds: 4 }, { inProcess: false });
  });

  afterEach(async () => {
    await rig.close();
  });

  const shots = [betaShot('a'), linkedShot('a2', 'a'), betaShot('b'), betaShot('c')];

  it('ended by SIGTERM: shuts down cleanly, and another one takes over at once', async () => {
    const first = await startWorkerProcess(rig);
    await rig.start(film('rolled', shots));
    await until(() => rig.sandbox.tasks().length === 3);
    const second = await startWorkerProcess(rig);
    await first.kill('SIGTERM');
    expect(first.process.exitCode).toBe(0);
    expect(await rig.client.ended('rolled')).toMatchObject({ state: 'completed' });
    expect(rig.sandbox.tasks()).toHaveLength(4);
    await second.kill('SIGTERM');
  });
});
