'use strict';
const { join } = require('node:path');
const { install, isInstalled } = require('../../scripts/setup/install.cjs');
const { runAloud, say } = require('../../scripts/setup/say.cjs');

const ROOT = join(__dirname, '..', '..');

/** npm would ask a registry that is silent for a quarter of an hour; nothing but the benchmark waits for these packages. */
const IMPATIENT = {
  npm_config_fetch_timeout: '30000',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '1000',
};

/** As the benchmark itself where it cannot be run. What is wrong here, such as a source that does not compile, is 1. */
const CANNOT_BE_HAD = 2;

/**
 * npm's codes for a registry that does not answer, or not as one (FETCH_ERROR), or does not give a package: errors of the
 * network, HTTP statuses, a version that is not there, and what an offline machine does not have in its cache.
 */
const NOT_GIVEN =
  /^(?:FETCH_ERROR|ENOTFOUND|EAI_\w+|ECONN\w+|E(?:HOST|NET)UNREACH|ETIMEDOUT|E\w*TIMEOUT|E[45]\d\d|ETARGET|ENOVERSIONS|ENOTCACHED)$/;

/** Brings this workspace to where it runs, after the project's own set-up: its packages, and its programs compiled. */
async function main() {
  if (!isInstalled(__dirname)) await installPackages();
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const words = { doing: 'compiling the benchmark of the peers', takes: 'some seconds' };
  await runAloud(words, process.execPath, [tsc, '-p', join(__dirname, 'tsconfig.json')]);
}

async function installPackages() {
  Object.assign(process.env, { ...IMPATIENT, ...process.env });
  await install(__dirname).catch((error) => {
    if (!isNotGiven(error)) throw error;
    const words =
      'The packages of the benchmark of the peers cannot be had: it needs npm, and a registry that answers.';
    throw Object.assign(new Error(`${error.message}\n${words}`), { exitCode: CANNOT_BE_HAD });
  });
}

/** Also where there is no npm. A package that is not what the lock file says, or a disk that is full, is wrong here. */
function isNotGiven({ code, message }) {
  if (code === 'ENOENT') return true;
  const [, named = ''] = /^npm (?:error|ERR!) code (\w+)$/m.exec(message) ?? [];
  return NOT_GIVEN.test(named);
}

main().catch((error) => {
  say(error.message);
  process.exit(error.exitCode ?? 1);
});
