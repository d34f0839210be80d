import { type ShotStatus } from '../../contracts/status';
import { betaShot, film, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { expectOwnClips } from './stored-clips';

describe('what a paid task left, where it cannot be collected', () => {
  let rig: Rig;
  let shot: ShotStatus;

  beforeAll(async () => {
    rig = await startRig({}, { inProcess: false });
    const worker = await rig.startWorker({ allowedPrivateHosts: [] });
    await rig.start(film('mended', [betaShot('only')]));
    shot = await until(async () => (await rig.client.status('mended'))?.shots.find(({ state }) => state === 'parked'));
    worker.stop();
    await worker.ended;
    await rig.startWorker();
  });

  afterAll(() => rig.close());

  it('parks, and says that it is paid for and why it is not there', () => {
    expect(rig.sandbox.tasks()).toHaveLength(1);
    const [take] = shot.takes;
    expect(take).toMatchObject({ taskId: expect.any(String), credits: expect.any(Number), asset: null });
    expect(shot.parked).toMatchObject({ for: 'uncollected' });
    expect(shot.reason).toContain(`task ${take?.taskId} is paid for, and its output could not be collected: `);
  });

  it('is collected when the cause is mended and a person says so', async () => {
    await rig.client.resolve('mended', 'only', { kind: 'wait' });
    const status = await rig.client.ended('mended');
    expect(status).toMatchObject({ state: 'completed' });
    await expectOwnClips(rig, status);
    expect(rig.sandbox.tasks()).toHaveLength(1);
  });
});
