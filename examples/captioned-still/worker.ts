import { join } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { bundleWorkflowCode, NativeConnection } from '@temporalio/worker';
import { openStore } from 'dailies/store';
import { readConfig, startWorker, workerDependencies } from 'dailies/workers';
import { WORKER_NAME } from './contract';
import { createPageActivities } from './write-page';

/**
 * A worker with its own queues. It runs Dailies' workflows and activities, and a workflow and an activity of this
 * example.
 */
async function main(): Promise<void> {
  const config = readConfig();
  const activities = workerDependencies(config);
  const store = await openStore(config.storeFolder);
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await NativeConnection.connect(connectionOptions);
  const worker = await startWorker({
    connection,
    namespace,
    name: WORKER_NAME,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: join(__dirname, 'workflows.js'),
      workflowInterceptorModules: [require.resolve('dailies/workflows/interceptors')],
    }),
    activities: { ...activities, store },
    ownActivities: createPageActivities(store),
    onNotice: console.error,
  });
  process.once('SIGTERM', worker.stop).once('SIGINT', worker.stop);
  console.log('ready');
  await worker.ended;
  await activities.gateway.close();
  await connection.close();
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
