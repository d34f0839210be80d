'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { runAloud } = require('./say.cjs');

/** A package that is optional for programs that install Dailies, but required to build a clone. */
const NEEDED = 'node_modules/@temporalio/worker';

/**
 * Whether node_modules has the packages that package-lock.json requires.
 *
 * npm writes node_modules/.package-lock.json after the install. The folders are checked too, because `npm install
 * --package-lock-only` lists packages that it did not install.
 */
function isInstalled(root) {
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const locked = packagesOf(join(root, 'package-lock.json'));
  return Object.entries(locked).every(([path, { integrity, optional }]) => {
    // The installed list has neither the root package nor packages for other platforms.
    if (installed[path] === undefined) return path === '' || (optional === true && path !== NEEDED);
    return installed[path].integrity === integrity && existsSync(join(root, path));
  });
}

/** Installs exactly what package-lock.json lists; see complete-lock.cjs. */
async function install(root) {
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const words = { doing: 'installing npm dependencies', takes: 'about a minute' };
  // If npm runs this script, use the same npm: the `npm` on PATH may be another version.
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('npm-cli.js')) await runAloud(words, process.execPath, [npm, ...args], { cwd: root });
  else await runAloud(words, 'npm', args, { cwd: root });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

module.exports = { install, isInstalled };
