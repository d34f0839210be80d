'use strict';
/**
 * Brings a fresh clone to where `npm start` and `npm test` work: npm dependencies, the build, a Temporal server, ffmpeg.
 *
 * npm runs it before anything is installed, so it needs nothing but Node. Quick and silent where nothing is to do.
 */

const MINIMUM = [20, 19];

// In the syntax of very old versions, so that those can still read the message; everything else is loaded after.
var version = process.versions.node.split('.').map(Number);
if (version[0] < MINIMUM[0] || (version[0] === MINIMUM[0] && version[1] < MINIMUM[1])) {
  process.stderr.write(
    'Dailies needs Node.js ' +
      MINIMUM.join('.') +
      ' or newer; this is ' +
      process.version +
      '. See https://nodejs.org.\n',
  );
  process.exit(1);
}

require('./steps.cjs')
  .runSteps()
  .catch(function (error) {
    process.stderr.write('\n' + error.message + '\n');
    process.exit(1);
  });
