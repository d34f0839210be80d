'use strict';
/**
 * Brings a fresh clone to where `npm start` and `npm test` work: npm dependencies, the build, a Temporal server, ffmpeg.
 *
 * npm runs it before anything is installed, so it needs nothing but Node. Quick and silent where nothing is to do.
 */

const MINIMUM = [20, 19];

// Before anything else is loaded, which an old version may not even parse.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) {
  process.stderr.write(
    `Dailies needs Node.js ${MINIMUM.join('.')} or newer; this is ${process.versions.node}. See https://nodejs.org.\n`,
  );
  process.exit(1);
}

const { runSteps } = require('./steps.cjs');

runSteps().catch((error) => {
  process.stderr.write(`\n${error.message}\n`);
  process.exit(1);
});
