import { type Client } from '@temporalio/client';
import { createScheduleLine } from '../../../client/schedules/schedule-line';

describe('the end of a scheduled batch', () => {
  it('is that of the run that was described, although another run has begun since', async () => {
    const getHandle = (_workflowId: string, runId?: string) => ({
      describe: () => Promise.resolve({ runId: 'first', status: { name: 'COMPLETED' } }),
      result: () => Promise.resolve({ state: runId === 'first' ? 'completed' : 'cancelled' }),
    });
    const line = createScheduleLine({ temporal: { workflow: { getHandle } } as unknown as Client, store: { id: 's' } });
    expect(await line.endOf({ kind: 'batch', workflowId: 'batch' })).toEqual({ state: 'completed' });
  });
});
