'use strict';
// A command in a process of its own, to be killed: attaches, says so, and stays.
const { attachToSet } = require('../../dist/workers/embedded/attach.js');

attachToSet(JSON.parse(process.argv[2])).then(
  (hold) => process.stdout.write(`${JSON.stringify({ facts: hold.facts, started: hold.started })}\n`),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
