import { liveStatus } from '../../../client/temporal/live-status';
import { type HandleOf } from '../../../client/temporal/start-workflow';

describe('the live status', () => {
  it('is the result of the run that was described, not of one that began meanwhile', async () => {
    const client = {
      getHandle: (workflowId: string, runId?: string) => ({
        ...{ client, workflowId },
        describe: () => Promise.resolve({ runId: 'run-a', status: { name: 'COMPLETED' } }),
        result: () => Promise.resolve({ renderId: runId === 'run-a' ? 'render-a' : 'render-b' }),
      }),
    };
    const handle = client.getHandle('film') as unknown as HandleOf<'production'>;
    expect(await liveStatus(handle)).toEqual({ is: 'ended', status: { renderId: 'render-a' } });
  });
});
