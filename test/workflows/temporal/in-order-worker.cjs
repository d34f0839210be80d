// Runs workflows until it is killed: in-order-worker.cjs <address> <bundle>
const { NativeConnection, Worker } = require('@temporalio/worker');

async function main([address, codePath]) {
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    namespace: 'default',
    taskQueue: 'in-order',
    workflowBundle: { codePath },
    stickyQueueScheduleToStartTimeout: '4 seconds',
  });
  process.send('ready');
  await worker.run();
}

void main(process.argv.slice(2));
