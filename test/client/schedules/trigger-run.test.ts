import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { triggerRun } from '../../../client/schedules/trigger-run';
import { productionWorkflowId } from '../../../contracts/identifiers';
import { type Store } from '../../../store';

describe('a triggered run', () => {
  const input = { schedule: 'night', storeId: 'store', account: 'account', version: 1, timezone: 'UTC' } as never;
  const store = {
    ...{ id: 'store', batches: { begun: () => Promise.resolve(undefined) } },
    productions: { begun: () => Promise.resolve({}) },
  } as unknown as Store;

  it.each([
    ['whose workflow starts later than the store has it', new WorkflowNotFoundError('not found', 'id', undefined)],
    ['that cannot be looked at once', new Error('14 UNAVAILABLE')],
  ])('%s is returned once it is running', async (_what, error) => {
    const described: string[] = [];
    const getHandle = (id: string) => ({
      describe: () => (described.push(id) < 3 ? Promise.reject(error) : Promise.resolve({})),
    });
    const temporal = { workflow: { start: () => Promise.resolve({}), getHandle } } as unknown as Client;
    const run = await triggerRun({ temporal, store }, input, {} as never);
    expect(run).toMatch(/^night-hand-/);
    expect(described).toEqual(Array.from({ length: 3 }, () => productionWorkflowId('store', run)));
  });
});
