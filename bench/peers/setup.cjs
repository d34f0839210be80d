'use strict';
const { join } = require('node:path');
const { install, isInstalled } = require('../../scripts/setup/install.cjs');
const { runAloud, say } = require('../../scripts/setup/say.cjs');

const ROOT = join(__dirname, '..', '..');

/** By default, npm waits a quarter of an hour for a silent registry. Only this benchmark needs these packages. */
const IMPATIENT = {
  npm_config_fetch_timeout: '30000',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '1000',
};

/** Exit code if the packages cannot be had: `EXIT.cannotRun` of src/main.ts. All other errors exit with 1. */
const CANNOT_BE_HAD = 2;

/**
 * npm's error codes if a registry does not give a package: network errors, answers that are not a registry's
 * (FETCH_ERROR), HTTP statuses, missing versions, and packages that an offline machine does not have in its cache.
 */
const NOT_GIVEN =
  /^(?:FETCH_ERROR|ENOTFOUND|EAI_\w+|ECONN\w+|E(?:HOST|NET)UNREACH|ETIMEDOUT|E\w*TIMEOUT|E[45]\d\d|ETARGET|ENOVERSIONS|ENOTCACHED)$/;

/** Installs the packages of this workspace and compiles its programs. The project's own set-up must run first. */
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

/** True also if npm is missing. False, for example, if a package differs from the lock file or the disk is full. */
function isNotGiven({ code, message }) {
  if (code === 'ENOENT') return true;
  const [, named = ''] = /^npm (?:error|ERR!) code (\w+)$/m.exec(message) ?? [];
  return NOT_GIVEN.test(named);
}

main().catch((error) => {
  say(error.message);
  process.exit(error.exitCode ?? 1);
});
