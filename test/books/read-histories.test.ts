import { type Client } from '@temporalio/client';
import { Metadata, status } from '@grpc/grpc-js';
import { readHistories } from '../../client/books/read-histories';
import { newStore } from './store-with-takes';

/** Temporal with two closed runs. It answers with the gRPC code when the history of the first one is asked for. */
function temporalAnswering(code: status): Client {
  const refused = Object.assign(new Error('refused'), { code, details: 'refused', metadata: new Metadata() });
  return {
    workflow: {
      async *list() {
        for (const runId of ['old', 'kept'])
          yield await Promise.resolve({ workflowId: 'w', runId, status: { name: 'COMPLETED' } });
      },
      getHandle: (_workflowId: string, runId: string) => ({
        fetchHistory: () => (runId === 'old' ? Promise.reject(refused) : Promise.resolve({ events: [] })),
      }),
    },
  } as unknown as Client;
}

describe('reading histories', () => {
  it('skips a run that Temporal has deleted since it was listed', async () => {
    const read = await readHistories(await newStore(), 'film', temporalAnswering(status.NOT_FOUND));
    expect(read).toMatchObject({ atTemporal: 1, facts: [], isRunning: false });
  });

  it('fails if Temporal gives no answer about a run', async () => {
    const reading = readHistories(await newStore(), 'film', temporalAnswering(status.UNAVAILABLE));
    await expect(reading).rejects.toThrow('refused');
  });
});
