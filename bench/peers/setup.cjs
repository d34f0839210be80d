'use strict';
const { join } = require('node:path');
const { install, isInstalled } = require('../../scripts/setup/install.cjs');
const { runAloud, say } = require('../../scripts/setup/say.cjs');

const ROOT = join(__dirname, '..', '..');

/** Brings this workspace to where it runs, after the project's own set-up: its packages, and its programs compiled. */
async function main() {
  if (!isInstalled(__dirname)) await install(__dirname);
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const words = { doing: 'compiling the benchmark of the peers', takes: 'some seconds' };
  await runAloud(words, process.execPath, [tsc, '-p', join(__dirname, 'tsconfig.json')]);
}

main().catch((error) => {
  say(error.message);
  // As the benchmark itself where it cannot be run; 1 is for wrong results.
  process.exit(2);
});
