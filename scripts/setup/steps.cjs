'use strict';
const { join } = require('node:path');
const { build, isBuilt } = require('./build.cjs');
const { ensureFfmpeg } = require('./ffmpeg.cjs');
const { install, isInstalled } = require('./install.cjs');
const { withLock } = require('./lock.cjs');
const { ensureTemporal } = require('./temporal.cjs');

const ROOT = join(__dirname, '..', '..');

/** Runs all steps in order. Each step first checks whether there is anything to do. */
async function runSteps() {
  if (!isInstalled(ROOT) || !isBuilt(ROOT)) {
    await withLock(ROOT, async () => {
      // Another set-up may have installed and built everything while this one waited.
      if (!isInstalled(ROOT)) await install(ROOT);
      if (!isBuilt(ROOT)) await build(ROOT);
    });
  }
  await ensureTemporal(ROOT, process.env);
  ensureFfmpeg(ROOT, process.env);
}

module.exports = { runSteps };
