'use strict';
// Starts a Temporal server in a process of its own, to be killed: says where it is, and stays.
const { startTemporalServer } = require('../../dist/workers/temporal-server.js');

startTemporalServer(JSON.parse(process.argv[2])).then(
  ({ address, pid }) => process.stdout.write(`${JSON.stringify({ address, pid })}\n`),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
