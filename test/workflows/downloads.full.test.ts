import { defaultPayloadConverter } from '@temporalio/common';
import { audit } from '../../client/books';
import { shotWorkflowId } from '../../contracts/identifiers';
import { type FaultName } from '../../sandbox';
import { type DailiesWorker } from '../../workers/worker';
import { betaShot, film, planOf, type Rig, startRig } from '../support/rig';
import { until } from '../support/until';
import { expectOwnClips } from './stored-clips';

describe('the output of a paid task', () => {
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

  /** Replaces the running worker, as after a change of the configuration. */
  async function replaceWorker(policy: Parameters<Rig['startWorker']>[0]): Promise<void> {
    worker.stop();
    await worker.ended;
    worker = await rig.startWorker(policy);
  }

  it('is stored completely whatever happens during the download, and is paid for once', async () => {
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
    await expectOwnClips(rig, status);
    expect(rig.sandbox.faults.struck()).toMatchObject({ ...faults, 'read-expiring': 1 });
    expect(accepted()).toBe(4);
  });

  it('is looked up again while the download brings something else, and tries are counted over all attempts', async () => {
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

  it('is paid for again, as another take, only if it cannot be collected and a person says so', async () => {
    await replaceWorker({ allowedPrivateHosts: [] });
    await rig.start(film('given-up', [betaShot('only')]));
    await until(async () => (await rig.client.status('given-up'))?.shots.some(({ state }) => state === 'parked'));
    await replaceWorker({});
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

  it('fails the shot if it is of another kind than declared, and is collected by a render with the right kind', async () => {
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
