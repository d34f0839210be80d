import { betaShot, film, linkedShot, type Rig, RIG_KEY, startRig } from '../support/rig';
import { filesWith } from '../support/files-with';
import { stopBetweenSubmits } from '../support/stop-between-submits';
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

  it('killed while its tasks are being polled: the next one completes the film, and nothing is paid twice', async () => {
    const first = await startWorkerProcess(rig);
    await rig.start(film('killed', shots));
    await until(areRendering);
    await stopBetweenSubmits((signal) => first.process.kill(signal), rig.store);
    await first.kill('SIGKILL');
    const second = await startWorkerProcess(rig);
    const status = await rig.client.ended('killed');
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    expect(rig.sandbox.tasks()).toHaveLength(4);
    expect(new Set(rig.sandbox.tasks().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(4);
    await second.kill('SIGTERM');
    expect(second.process.exitCode).toBe(0);
    expect(first.output() + second.output()).not.toContain(RIG_KEY);
    expect(await filesWith(RIG_KEY, rig.store.folder)).toEqual([]);
  });

  /** All shots without links are accepted; one may have ended by the time the last one is accepted. */
  async function areRendering(): Promise<boolean> {
    const takes = ((await rig.client.status('killed'))?.shots ?? []).flatMap((shot) => shot.takes);
    return (
      takes.filter(({ taskId }) => taskId !== null).length >= 3 && takes.some(({ state }) => state === 'rendering')
    );
  }
});
