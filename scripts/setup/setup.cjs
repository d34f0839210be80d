'use strict';
/**
 * Prepares a fresh clone for `npm start` and `npm test`: npm dependencies, the build, a Temporal server, ffmpeg.
 *
 * npm runs this script before anything is installed, so the script needs only Node. It is quick and silent if there is
 * nothing to do.
 */

const MINIMUM = [20, 19];

// Checked before other modules are loaded, because an old version may fail to parse them.
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
