import { readFile } from 'node:fs/promises';
import { defaultPayloadConverter } from '@temporalio/common';
import { audit } from '../../client/books';
import { shotWorkflowId } from '../../contracts/identifiers';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { type FaultName } from '../../sandbox';
import { type DailiesWorker } from '../../workers/worker';
import { betaShot, film, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';

describe('what a paid task left', () => {
  let rig: Rig;
  let worker: DailiesWorker;

  beforeAll(async () => {
    rig = await startRig({}, { inProcess: false });
    worker = await rig.startWorker();
  });

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  afterAll(async () => {
    await rig.close();
  });

  const accepted = (): number => rig.sandbox.tasks().length;

  /** Another worker in place of the one that runs, as after a change of the configuration. */
  async function replaceWorker(policy: Parameters<Rig['startWorker']>[0]): Promise<void> {
    worker.stop();
    await worker.ended;
    worker = await rig.startWorker(policy);
  }

  async function parked(id: string): Promise<ShotStatus> {
    return until(async () => (await rig.client.status(id))?.shots.find(({ state }) => state === 'parked'));
  }

  /** Whether each shot's stored clip is the very file that the gateway made for its last take. */
  async function expectOwnClips({ shots }: ProductionStatus): Promise<void> {
    for (const { takes } of shots) {
      const { taskId, asset } = takes.at(-1)!;
      const task = rig.sandbox.tasks().find(({ id }) => id === taskId);
      const made = await fetch(`${rig.sandbox.url}/files/${taskId}/${task?.output?.file}`);
      const stored = await readFile(rig.store.assets.localPath(asset!));
      expect(stored.equals(Buffer.from(await made.arrayBuffer()))).toBe(true);
    }
  }

  it('comes home whole through all that can happen on the way, and is paid for once', async () => {
    const faults: Partial<Record<FaultName, number>> = {
      'file-html': 2,
      'file-empty': 2,
      'file-truncated': 2,
      'file-long': 1,
      'file-reset': 1,
      'file-redirects': 1,
      'read-no-address': 2,
    };
    for (const [kind, count] of Object.entries(faults)) rig.sandbox.faults.inject({ kind: kind as FaultName, count });
    rig.sandbox.faults.inject({ kind: 'read-expiring', count: 1, seconds: 0 });
    const status = await rig.render(
      film(
        'stormy',
        ['one', 'two', 'three', 'four'].map((id) => betaShot(id)),
      ),
    );
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    await expectOwnClips(status);
    expect(rig.sandbox.faults.struck()).toMatchObject({ ...faults, 'read-expiring': 1 });
    expect(accepted()).toBe(4);
  });

  it('is looked for anew while something else comes, and the tries are counted over all attempts', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'file-html', share: 1 });
    await rig.start(film('counted', [betaShot('only')]));
    const handle = rig.temporal.client.workflow.getHandle(shotWorkflowId(rig.store.id, 'counted', 'only'));
    const tries = await until(async () => {
      const described = await handle.describe().catch(() => undefined);
      const carried = described?.raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0];
      const tried = carried && defaultPayloadConverter.fromPayload<{ unusable?: number } | undefined>(carried);
      return tried?.unusable !== undefined && tried.unusable >= 3 && tried.unusable;
    });
    expect(tries).toBeLessThan(8);
    rig.sandbox.faults.clear();
    expect(await rig.client.ended('counted')).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 1);
  });

  describe('where it cannot be collected', () => {
    let shots: Readonly<Record<string, ShotStatus>>;
    let paidBefore: number;

    beforeAll(async () => {
      await replaceWorker({ allowedPrivateHosts: [] });
      paidBefore = accepted();
      for (const id of ['mended', 'given-up']) await rig.start(film(id, [betaShot('only')]));
      shots = { mended: await parked('mended'), 'given-up': await parked('given-up') };
      await replaceWorker({});
    });

    it('parks, and says that it is paid for and why it is not there', () => {
      expect(accepted()).toBe(paidBefore + 2);
      for (const shot of Object.values(shots)) {
        const [take] = shot.takes;
        expect(take).toMatchObject({ taskId: expect.any(String), credits: expect.any(Number), asset: null });
        expect(shot.parked).toMatchObject({ for: 'uncollected' });
        const words = `task ${take?.taskId} is paid for, and its output could not be collected: `;
        expect(shot.reason).toContain(words);
      }
    });

    it('is collected when the cause is mended and a person says so', async () => {
      const before = accepted();
      await rig.client.resolve('mended', 'only', { kind: 'wait' });
      const status = await rig.client.ended('mended');
      expect(status).toMatchObject({ state: 'completed' });
      await expectOwnClips(status);
      expect(accepted()).toBe(before);
    });

    it('is paid for anew only when a person says so, as another take', async () => {
      const before = accepted();
      await rig.client.resolve('given-up', 'only', { kind: 'resubmit' });
      const status = await rig.client.ended('given-up');
      expect(status.shots[0]?.takes.map(({ take, asset }) => [take, asset !== null])).toEqual([
        [1, false],
        [2, true],
      ]);
      expect(accepted()).toBe(before + 1);
      const takes = await rig.store.ledger.takes('given-up', 'only');
      expect(takes.map(({ decisions }) => decisions.map(({ kind, by }) => [kind, by]))).toEqual([
        [['resubmit', 'person']],
        [],
      ]);
      const books = await audit({ store: rig.store, account: 'sandbox', production: 'given-up' });
      expect(books?.differences).toEqual([]);
    });
  });

  it('ends the shot where it is of another kind than was said, and is collected by the next render that says it right', async () => {
    const before = accepted();
    const one = film('kinds', [betaShot('only')]);
    const shots = planOf(one).shots.map((shot) => ({ ...shot, output: 'image' as const }));
    const wrong = await rig.render(one, { shots, assemble: false });
    expect(wrong.shots[0]).toMatchObject({ state: 'failed', reason: expect.stringContaining('--output video') });
    expect(wrong.shots[0]?.reason).toContain(`task ${rig.sandbox.tasks().at(-1)?.id} is paid for`);
    expect(await rig.render(one)).toMatchObject({ state: 'completed' });
    expect(accepted()).toBe(before + 1);
  });
});
