import { batchEnded, startRows, textRows } from '../../support/batches';
import { filesWith } from '../../support/files-with';
import { until } from '../../support/until';
import { receiver, rig } from './notified-batches';

describe('notices of a batch', () => {
  it('report its end once, signed, with its counts, and are recorded as delivered', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    await startRows(rig, 'ended', textRows(3), { parallel: 1, notify: { url: receiver.url } });
    await batchEnded(rig, 'ended');
    const [told] = await until(() => receiver.toldOfBatch('ended').length > 0 && receiver.toldOfBatch('ended'));
    expect(told).toMatchObject({
      type: 'batch.done',
      isSigned: true,
      webhookId: told?.id,
      data: {
        ...{ batch: 'ended', run: 1, state: 'incomplete', rows: 3, open: 3, creditsCharged: 3 },
        counts: { completed: 2, failed: 1, parked: 0, underWay: 0, pending: 0 },
        ...{ waiting: [], waitingCount: 0, command: 'dailies batch status ended' },
      },
    });
    await until(async () => (await rig.client.batches.report('ended'))?.notices[0]?.state === 'delivered');
    expect(await filesWith('token-in-the-path', `${rig.store.folder}/assets`)).toEqual([]);
  });
});
