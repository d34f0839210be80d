import { type NativeConnection } from '@temporalio/worker';
import { startArchiving } from '../../workers/archive-histories';
import { newStore } from '../books/store-with-takes';

describe('the archiving of a worker', () => {
  it("reads the closed workflows of the worker's own queue", async () => {
    const queries: string[] = [];
    const workflowService = {
      listWorkflowExecutions({ query }: { readonly query: string }) {
        queries.push(query);
        return Promise.resolve({ executions: [], nextPageToken: new Uint8Array() });
      },
    };
    const notices: string[] = [];
    const archiving = startArchiving({
      connection: { workflowService, plugins: [] } as unknown as NativeConnection,
      namespace: 'default',
      store: await newStore(),
      taskQueue: 'own-queue',
      onNotice: (line) => notices.push(line),
    });
    await archiving.stop();
    expect(notices).toEqual([]);
    expect(queries[0]).toContain('TaskQueue = "own-queue"');
  });
});
