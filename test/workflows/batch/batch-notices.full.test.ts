import { pictureRow, startRows } from '../../support/batches';
import { until } from '../../support/until';
import { receiver, rig } from './notified-batches';

const typesOf = (id: string) => receiver.toldOfBatch(id).map(({ type }) => type);

describe('notices of a batch', () => {
  it('report once that rows wait, however many do, and only with the end if nothing else is under way', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 2 });
    const notify = { url: receiver.url, on: ['batch.parked' as const] };
    await startRows(rig, 'waits', [pictureRow('a'), pictureRow('b', { deadline: 600 })], { parallel: 1, notify });
    const [told] = await until(() => receiver.toldOfBatch('waits').length > 0 && receiver.toldOfBatch('waits'));
    expect(told).toMatchObject({
      type: 'batch.parked',
      data: {
        counts: { parked: 1, underWay: 1, pending: 0 },
        waiting: [{ row: 'a', for: 'unclear', command: expect.stringContaining('dailies resolve waits a ') }],
        waitingCount: 1,
      },
    });
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await startRows(rig, 'alone', [pictureRow('c')], { notify: { url: receiver.url } });
    await until(() => typesOf('alone').length > 0);
    expect(typesOf('alone')).toEqual(['batch.done']);
    expect(typesOf('waits')).toEqual(['batch.parked']);
    const { underWay } = await until(async () => (await rig.client.batches.live('waits')).status);
    expect(underWay).toEqual(['b']);
    await rig.client.batches.cancel('waits');
  });
});
