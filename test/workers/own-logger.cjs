'use strict';
/** A program with a worker of its own, which it stops as soon as it runs. Its argument says where the lines go. */
const { join } = require('node:path');
const { NativeConnection } = require('@temporalio/worker');
const dist = join(__dirname, '..', '..', 'dist');
const { openStore } = require(join(dist, 'store'));
const { readConfig, startWorker, workerDependencies } = require(join(dist, 'workers'));

const NOTHING = { debug() {}, info() {}, warn() {}, error() {} };

const [, , way] = process.argv;

async function run(options) {
  const config = readConfig();
  const { gateway, ...activities } = workerDependencies(config);
  const store = await openStore(config.storeFolder);
  try {
    const worker = await startWorker({ activities: { ...activities, gateway, store }, ...options });
    worker.stop();
    await worker.ended;
  } finally {
    await gateway.close();
  }
}

async function main() {
  if (way === 'quiet') {
    await run({ quiet: true });
    // The runtime of the one before is gone by now.
    await run({ quiet: true });
  } else if (way === 'logger') {
    const lines = [];
    const logger = { ...NOTHING, info: (message, meta) => lines.push(`${message} ${JSON.stringify(meta)}`) };
    await run({ logger });
    console.log(JSON.stringify(lines));
  } else if (way === 'no bundle') {
    await run({ quiet: true, workflowBundle: { codePath: join(dist, 'nowhere.js') } });
  } else {
    const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS });
    try {
      await run({ connection, quiet: true });
    } finally {
      await connection.close();
    }
  }
}

main().catch((error) => {
  console.log(`${error.name}: ${error.message}`);
  process.exitCode = 1;
});
