'use strict';
/**
 * Prepares the tests that need a browser: installs Debian's Chromium if that is possible without questions.
 *
 * Never fails: without Chromium these tests are left out, and each says so.
 */
const { accessSync, constants, existsSync } = require('node:fs');
const { delimiter, join } = require('node:path');
const { run, runAloud, say } = require('./say.cjs');

/** Chromium and its libraries are some 100 MB. */
const INSTALL_LIMIT_MS = 300_000;
const UPDATE_LIMIT_MS = 120_000;

/** With these options apt-get fails soon if packages are not reachable, and waits up to a minute for another apt. */
const APT_OPTIONS = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20', '-o', 'DPkg::Lock::Timeout=60'];

async function ensureChromium(env) {
  if (hasProgram('chromium', env)) return;
  const obstacle = obstacleTo(env);
  if (obstacle !== undefined) {
    say(`tests in a browser are left out: there is no chromium on PATH, and ${obstacle}`);
    return;
  }
  try {
    await installed(env);
  } catch (error) {
    say(`tests in a browser are left out: apt-get did not install chromium (${error.lastLine ?? error.message})`);
  }
}

/** Why Chromium cannot be installed here; undefined if it can. */
function obstacleTo(env) {
  if (!existsSync('/etc/debian_version') || !hasProgram('apt-get', env)) return 'this is not Debian';
  if (process.getuid?.() !== 0) return 'only root can install it (apt install chromium)';
  return undefined;
}

async function installed(env) {
  const own = { ...env, DEBIAN_FRONTEND: 'noninteractive' };
  const words = { doing: 'installing chromium for tests in a browser', takes: 'a minute' };
  const args = [...APT_OPTIONS, 'install', '-y', '--no-install-recommends', 'chromium', 'fonts-liberation'];
  await runAloud(words, 'apt-get', args, { env: own, timeoutMs: INSTALL_LIMIT_MS }).catch(async () => {
    // A fresh image has no list of packages, or an old one.
    await run('apt-get', [...APT_OPTIONS, 'update'], { env: own, timeoutMs: UPDATE_LIMIT_MS });
    await runAloud(words, 'apt-get', args, { env: own, timeoutMs: INSTALL_LIMIT_MS });
  });
}

function hasProgram(name, { PATH = '' }) {
  return PATH.split(delimiter).some((folder) => isExecutable(join(folder, name)));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

void ensureChromium(process.env);
