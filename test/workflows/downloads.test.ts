import { type ShotStatus } from '../../contracts/status';
import { betaShot, film, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { expectOwnClips } from './stored-clips';

describe('the output of a paid task that cannot be collected', () => {
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

  it('parks the shot, which says that the task is paid for and why the output is missing', () => {
    expect(rig.sandbox.tasks()).toHaveLength(1);
    const [take] = shot.takes;
    expect(take).toMatchObject({ taskId: expect.any(String), credits: expect.any(Number), asset: null });
    expect(shot.parked).toMatchObject({ for: 'uncollected' });
    expect(shot.reason).toContain(`task ${take?.taskId} is paid for, and its output could not be collected: `);
  });

  it('has no address in any history: only the host that was tried', async () => {
    const events: unknown[] = [];
    for await (const { workflowId, runId } of rig.temporal.client.workflow.list()) {
      const history = await rig.temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
      events.push(...(history.events ?? []));
    }
    const readable = JSON.stringify(events, asText);
    // The search sees the content of payloads.
    expect(readable.includes('could not be collected')).toBe(true);
    expect([rig.sandbox.url, '/files/', 'video.mp4'].filter((part) => readable.includes(part))).toEqual([]);
  });

  it('is collected once the cause is fixed and a person says so', async () => {
    await rig.client.resolve('mended', 'only', { kind: 'wait' });
    const status = await rig.client.ended('mended');
    expect(status).toMatchObject({ state: 'completed' });
    await expectOwnClips(rig, status);
    expect(rig.sandbox.tasks()).toHaveLength(1);
  });
});

/** A history's JSON has payloads in base64; they are decoded here. */
function asText(name: string, value: unknown): unknown {
  return name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value;
}
