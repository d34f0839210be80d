import { type NativeConnection } from '@temporalio/worker';
import { startArchiving } from '../../workers/archive-histories';
import { newStore } from '../books/store-with-takes';
import { until } from '../support/until';

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

  it('looks as far back again after a sweep that was cut short', async () => {
    const queries: string[] = [];
    let cut = (): void => undefined;
    const workflowService = {
      listWorkflowExecutions({ query }: { readonly query: string }) {
        queries.push(query);
        const answer = { executions: [], nextPageToken: new Uint8Array() };
        if (queries.length > 1) return Promise.resolve(answer);
        return new Promise<typeof answer>((resolve) => {
          cut = () => {
            resolve(answer);
          };
        });
      },
    };
    const archiving = startArchiving({
      connection: { workflowService, plugins: [] } as unknown as NativeConnection,
      namespace: 'default',
      store: await newStore(),
      taskQueue: 'own-queue',
      onNotice: () => undefined,
    });
    await until(() => Promise.resolve(queries.length > 0));
    const stopped = archiving.stop();
    cut();
    await stopped;
    expect(new Set(queries).size).toBe(1);
    expect(queries.length).toBeGreaterThan(1);
  });
});
