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

  it('leaves no address of it in a history: only the host that it was looked for at', async () => {
    const events: unknown[] = [];
    for await (const { workflowId, runId } of rig.temporal.client.workflow.list()) {
      const history = await rig.temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
      events.push(...(history.events ?? []));
    }
    const readable = JSON.stringify(events, asText);
    // What stands in payloads is seen.
    expect(readable.includes('could not be collected')).toBe(true);
    expect([rig.sandbox.url, '/files/', 'video.mp4'].filter((part) => readable.includes(part))).toEqual([]);
  });

  it('is collected when the cause is mended and a person says so', async () => {
    await rig.client.resolve('mended', 'only', { kind: 'wait' });
    const status = await rig.client.ended('mended');
    expect(status).toMatchObject({ state: 'completed' });
    await expectOwnClips(rig, status);
    expect(rig.sandbox.tasks()).toHaveLength(1);
  });
});

/** Payloads stand in a history's JSON in base64; here they are read as the text that they are. */
function asText(name: string, value: unknown): unknown {
  return name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value;
}
