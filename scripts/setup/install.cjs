'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { runAloud } = require('./say.cjs');

/** Optional for programs that install the package; a clone is built with it. */
const NEEDED = 'node_modules/@temporalio/worker';

/**
 * Whether node_modules holds what package-lock.json asks for.
 *
 * npm notes what it installed as its last act; but `npm install --package-lock-only` notes what it did not install,
 * so that the folders count too.
 */
function isInstalled(root) {
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const locked = packagesOf(join(root, 'package-lock.json'));
  return Object.entries(locked).every(([path, { integrity, optional }]) => {
    // The root itself is not among them, nor are packages for other platforms.
    if (installed[path] === undefined) return path === '' || (optional === true && path !== NEEDED);
    return installed[path].integrity === integrity && existsSync(join(root, path));
  });
}

/** Installs what package-lock.json asks for, and nothing else; see complete-lock.cjs. */
async function install(root) {
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const words = { doing: 'installing npm dependencies', takes: 'about a minute' };
  // Where npm itself runs this, it names its program: the `npm` on PATH may be another version.
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
