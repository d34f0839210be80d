import { WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createBatchActivities } from '../../../activities/run/batch-rows';
import { createFrozenProductions } from '../../../activities/frozen-productions';
import { createDailiesClient } from '../../../client';
import { batchAssets } from '../../../client/batch/batch-assets';
import { BatchRuns } from '../../../client/batch/batch-runs';
import { batchWorkflowId } from '../../../contracts/identifiers';
import { readBatchIndex, readBatchPage } from '../../../store';
import { batchEnded, startRows, textRows } from '../../support/batches';
import { type Rig, startRig } from '../../support/rig';

describe('runs of a batch', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());
  afterEach(() => rig.sandbox.faults.clear());

  const terminate = (id: string) =>
    rig.temporal.client.workflow.getHandle(batchWorkflowId(rig.store.id, id)).terminate();

  it('of one account are not results for another, but a prune spares their files', async () => {
    const { store } = rig;
    await startRows(rig, 'two-payers', textRows(3));
    expect(await batchEnded(rig, 'two-payers')).toMatchObject({ account: 'sandbox', counts: { completed: 3 } });
    const drawings = await batchAssets(store);
    expect(await startRows(rig, 'two-payers', textRows(3))).toMatchObject({ is: 'nothing' });

    const client = createDailiesClient({ temporal: rig.temporal.client, store, account: 'paying' });
    await expect(client.batches.retryFailed('two-payers')).rejects.toThrow(
      'was last rendered for the account sandbox, and this is paying',
    );
    const theirs = { client, store };
    expect(await startRows(theirs, 'two-payers', textRows(3))).toEqual({ is: 'begun', rows: 3, open: 3 });
    await terminate('two-payers');
    const report = await client.batches.report('two-payers');
    expect(report).toMatchObject({ account: 'paying', counts: { completed: 0, pending: 3 } });
    expect([...(await batchAssets(store))]).toEqual(expect.arrayContaining([...drawings]));
    expect(await startRows(rig, 'two-payers', textRows(3))).toMatchObject({ is: 'nothing' });
  });

  it('go on after an interruption, and are never begun by that', async () => {
    const { store, client } = rig;
    rig.sandbox.faults.inject({ kind: 'accept-late', count: 2, seconds: 5 });
    await startRows(rig, 'interrupted', textRows(2));
    await store.holds.hold('interrupted', 'it was interrupted');
    expect(await client.batches.goOn('interrupted')).toEqual({ is: 'joined', rows: 2, open: 2 });
    expect(await store.holds.inForce('interrupted')).toBeUndefined();
    await store.holds.hold('interrupted', 'it was interrupted');
    await terminate('interrupted');
    await expect(client.batches.goOn('interrupted')).rejects.toThrow('"interrupted" is not running any more');
    expect(await store.batches.runs('interrupted')).toEqual([1]);
  });

  it('gives no batch the name of a row, and no row the name of a batch', async () => {
    const models = { 'pixel-image-1': { output: 'image' } };
    const row = (id: string) => ({ id, models, shots: [{ id: 'a', model: 'pixel-image-1', prompt: `a ${id}` }] });
    await startRows(rig, 'one', [row('two.three')]);
    await batchEnded(rig, 'one');
    await expect(startRows(rig, 'one.two', [row('three')])).rejects.toThrow(
      '"one.two.three" is a row of the batch "one"; give this batch another name',
    );
    await startRows(rig, 'one.four', textRows(1));
    await batchEnded(rig, 'one.four');
    await expect(startRows(rig, 'one', [row('four')])).rejects.toThrow('"one.four" is a batch');
    const fork = { of: 'one.two.three', from: null, account: 'sandbox', at: new Date().toISOString() };
    await rig.store.productions.beginFork('one.five', fork);
    await expect(startRows(rig, 'one', [row('five')])).rejects.toThrow('"one.five" is a fork of "one.two.three"');

    // Started after the check, as by a schedule: the row itself is refused and adopts nothing.
    const { beginProduction } = createBatchActivities({
      account: 'sandbox',
      store: rig.store,
      productions: createFrozenProductions(rig.store),
    });
    const { index } = (await rig.store.batches.begun('one')) ?? {};
    const [page] = index === undefined ? [] : (await readBatchIndex(rig.store.assets, index)).pages;
    const [first] = page === undefined ? [] : (await readBatchPage(rig.store.assets, page)).rows;
    if (first?.kind !== 'production') throw new Error('no row that is a production');
    const before = await rig.client.productions.begun('one.two.three');
    const begin = (batchId: string, isGone: boolean): Promise<boolean> =>
      new MockActivityEnvironment().run(beginProduction, { batchId, row: first, renderId: 'theirs', isGone });
    await expect(begin('one.two', true)).rejects.toThrow(
      '"one.two.three" is a row of the batch "one"; it cannot be a row of "one.two"',
    );
    expect(await rig.client.productions.begun('one.two.three')).toEqual(before);

    // Neither does a later run of the same batch, while an earlier render may be under way.
    await rig.client.productions.begin('one.two.three', { ...before!, renderId: 'under way' });
    expect(await begin('one', false)).toBe(false);
    expect(await rig.client.productions.begun('one.two.three')).toMatchObject({ renderId: 'under way' });
    expect(await begin('one', true)).toBe(true);
    expect(await rig.client.productions.begun('one.two.three')).toMatchObject({ renderId: 'theirs', batch: 'one' });

    await rig.client.productions.begin('one.two.three', { ...before!, given: true });
    await expect(begin('one', true)).rejects.toThrow('was rendered from an object that a program gave');
  });
});

type Options = ConstructorParameters<typeof BatchRuns>[0];

describe('the cancellation of a batch', () => {
  it('is refused if the batch ends just before it', async () => {
    const handle = {
      describe: () => Promise.resolve({ status: { name: 'RUNNING' } }),
      cancel: () => Promise.reject(new WorkflowNotFoundError('workflow not found', 'batch', undefined)),
    };
    const store = { id: 'store', batches: { begun: () => Promise.resolve({}) } };
    const runs = new BatchRuns({ temporal: { workflow: { getHandle: () => handle } }, store } as unknown as Options);
    await expect(runs.cancel('batch')).rejects.toThrow('batch "batch" is not running');
  });
});
