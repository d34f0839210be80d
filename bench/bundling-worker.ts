import { join } from 'node:path';
import { NativeConnection, bundleWorkflowCode } from '@temporalio/worker';
import { openStore } from '../store';
import { readConfig } from '../workers/config/config';
import { workerDependencies } from '../workers/dependencies';
import { keepHeapLean } from '../workers/lean-memory';
import { startWorkerOn } from '../workers/worker';

/**
 * Runs a worker like `dailies worker`, but without its checks, and bundles the workflows when it starts.
 *
 * MAINTENANCE: keep in step with the call of `startWorkerOn` in workers/main.ts.
 */
async function main(): Promise<void> {
  keepHeapLean();
  const config = readConfig();
  const activities = workerDependencies(config, {});
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: join(__dirname, '..', 'workflows', 'index.js') });
  const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  const worker = await startWorkerOn({
    connection,
    namespace: 'default',
    workflowBundle,
    activities: { ...activities, store: await openStore(config.storeFolder) },
    onNotice: (line) => process.stderr.write(`${line}\n`),
  });
  process.once('SIGTERM', worker.stop);
  await worker.ended;
  await activities.gateway.close();
  await connection.close();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
