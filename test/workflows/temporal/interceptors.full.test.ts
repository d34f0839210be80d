import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { connectTemporal, type TemporalConnection } from '../../../client';
import { findTemporalCli } from '../../../workers/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../../workers/temporal-server';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';
import { type inOrder } from './in-order';

describe('a workflow whose worker is killed while a query waits for it', () => {
  let server: TemporalServer;
  let temporal: TemporalConnection;
  let bundle: string;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    const folder = await temporaryFolder();
    const cli = findTemporalCli(process.env)?.path ?? '';
    server = await startTemporalServer({ cli, logFile: join(folder, 'temporal.log') });
    temporal = await connectTemporal({ address: server.address });
    const { code } = await bundleWorkflowCode({
      workflowsPath: join(__dirname, 'in-order.ts'),
      workflowInterceptorModules: [join(__dirname, '..', '..', '..', 'workflows', 'interceptors.ts')],
      logger: new DefaultLogger('ERROR'),
    });
    bundle = join(folder, 'bundle.js');
    await writeFile(bundle, code);
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    await temporal.close();
    await server.stop();
  });

  async function start(): Promise<ChildProcess> {
    const worker = fork(join(__dirname, 'in-order-worker.cjs'), [server.address, bundle], { stdio: 'ignore' });
    workers.push(worker);
    await once(worker, 'message');
    return worker;
  }

  async function kill(worker: ChildProcess): Promise<void> {
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }

  it('answers the query, and gives commands in the order in which every later worker replays them', async () => {
    const first = await start();
    const handle = await temporal.client.workflow.start<typeof inOrder>('inOrder', {
      taskQueue: 'in-order',
      workflowId: 'in-order',
    });
    await until(async () => (await names(handle, 'workflowTaskCompleted')).length === 1);
    // Before the first is killed, since a start may take longer than the server waits for the killed one.
    const second = await start();
    await kill(first);
    // The query waits for the killed worker for four seconds, and so does the task of the signal that comes meanwhile.
    // The second signal must be sent after the query is answered and before that task starts.
    const answer = handle.query<string[]>('wanted');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await handle.signal('want', 'b');
    expect(await answer).toEqual(['b']);
    await handle.signal('want', 'a');
    await until(async () => (await names(handle, 'activityTaskScheduled')).length === 2);
    expect(await names(handle, 'activityTaskScheduled')).toEqual(['a', 'b']);

    await kill(second);
    await start();
    await handle.signal('want', 'end');
    await handle.result();
  });
});

/** The names of activities in the events of a kind; for other kinds, a text for each event. */
async function names(
  handle: WorkflowHandle,
  kind: 'workflowTaskCompleted' | 'activityTaskScheduled',
): Promise<string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .filter((event) => event[`${kind}EventAttributes`] != null)
    .map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? kind);
}
