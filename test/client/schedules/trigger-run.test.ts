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
    const deadlines: number[] = [];
    const temporal = {
      workflow: { start: () => Promise.resolve({}), getHandle },
      withDeadline: (deadline: number, call: () => unknown) => (deadlines.push(deadline), call()),
    } as unknown as Client;
    const asked = Date.now();
    const run = await triggerRun({ temporal, store }, input, {} as never);
    expect(run).toMatch(/^night-hand-/);
    // So that a look that Temporal does not answer ends with the wait.
    expect(deadlines).toHaveLength(3);
    expect(deadlines.every((deadline) => deadline >= asked && deadline <= Date.now() + 10_000)).toBe(true);
    expect(described).toEqual(Array.from({ length: 3 }, () => productionWorkflowId('store', run)));
  });
});
