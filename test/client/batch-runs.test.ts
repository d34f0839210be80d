import { createDailiesClient } from '../../client';
import { batchAssets } from '../../client/batch/batch-assets';
import { batchWorkflowId } from '../../contracts/identifiers';
import { createBatches } from '../../store';
import { batchEnded, startRows, textRows } from '../support/batches';
import { type Rig, startRig } from '../support/rig';

jest.setTimeout(120_000);

describe('runs of a batch', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());
  afterEach(() => rig.sandbox.faults.clear());

  const terminate = (id: string) =>
    rig.temporal.client.workflow.getHandle(batchWorkflowId(rig.store.id, id)).terminate();

  it('of one account are no results of another one, whose files a prune yet spares', async () => {
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

  it('takes no row over that waits for a decision by another account', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await startRows(rig, 'their-wait', textRows(2), { parallel: 1 });
    expect(await batchEnded(rig, 'their-wait')).toMatchObject({ counts: { parked: 1 } });
    const client = createDailiesClient({ temporal: rig.temporal.client, store: rig.store, account: 'paying' });
    await expect(startRows({ client, store: rig.store }, 'their-wait', textRows(2))).rejects.toThrow(
      'row "r1" of batch "their-wait" still waits for a decision by the account sandbox',
    );
    expect((await createBatches(rig.store.records).begun('their-wait'))?.run).toBe(1);
    await rig.client.resolve('their-wait', 'r1', { kind: 'skip' });
  });
});
