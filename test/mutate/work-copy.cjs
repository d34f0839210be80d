'use strict';
/** A copy of the project in a temporary folder, in which one file at a time is changed. */
const { transformSync } = require('@swc/core');
const { spawn } = require('node:child_process');
const { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { basename, dirname, join, relative } = require('node:path');

const ROOT = join(__dirname, '..', '..');

/** Not copied, since no test reads it; node_modules is linked. */
const LEFT_OUT = new Set(['node_modules', '.git', 'out', '.dailies', 'coverage']);

/** The workflow bundle is made of these folders. */
const BUNDLED = new Set(['workflows', 'contracts']);
const BUNDLE = 'dist/workflow-bundle.js';

/** This much of the end of a process's output is kept, to say why it failed. */
const OUTPUT_CHARACTERS = 8_000;

/**
 * The text of a mutated file.
 *
 * @throws Error unless the text to replace is there exactly once.
 */
function mutated({ file, find, replace }, folder = ROOT) {
  const parts = readFileSync(join(folder, file), 'utf8').split(find);
  if (parts.length !== 2) throw new Error(`${file} has the text to replace ${parts.length - 1} times`);
  return parts.join(replace);
}

/** Copies the project, so that later changes to it do not reach the tests that run. */
function createWorkCopy() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dailies-mutate-')));
  const isCopied = (path) => !LEFT_OUT.has(basename(path)) || dirname(relative(ROOT, path)) === 'dist';
  cpSync(ROOT, folder, { recursive: true, filter: (path) => path === ROOT || isCopied(path) });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  /** The original contents of the mutated files, by path. */
  const originals = new Map();

  function write(file, text) {
    if (!originals.has(file)) originals.set(file, readFileSync(join(folder, file)));
    writeFileSync(join(folder, file), text);
  }

  /** Mutates a file and its compiled form in dist. */
  async function apply(mutation) {
    const { file } = mutation;
    const source = mutated(mutation, folder);
    write(file, source);
    const built = join('dist', file.replace(/\.ts$/, '.js'));
    write(built, compiled(source));
    if (!BUNDLED.has(file.split('/')[0])) return;
    write(BUNDLE, '');
    const { code, output } = await run(folder, [join('dist', 'workers', 'build-bundle.js')], { limitMs: 120_000 });
    if (code !== 0) throw new Error(`the workflows cannot be bundled: ${output}`);
  }

  function restore() {
    for (const [file, text] of originals) writeFileSync(join(folder, file), text);
    originals.clear();
  }

  return { folder, apply, restore, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** As `tsc` compiles it for Node: CommonJS, and `import()` stays what it is. */
function compiled(source) {
  const jsc = { parser: { syntax: 'typescript' }, target: 'es2023' };
  return transformSync(source, { jsc, module: { type: 'commonjs', ignoreDynamic: true }, configFile: false }).code;
}

/** Runs Node. Kills it and its children when it takes too long, or when this process ends. */
function run(folder, parameters, { limitMs }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, parameters, {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = (text) => (output = (output + text).slice(-OUTPUT_CHARACTERS));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', keep);
    const stop = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // All its processes have ended.
      }
    };
    const timer = setTimeout(stop, limitMs);
    // Runs before the copy is removed, since the processes still write to it.
    process.prependOnceListener('exit', stop);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      process.removeListener('exit', stop);
      stop();
      resolve({ code, output });
    });
  });
}

module.exports = { createWorkCopy, mutated, ROOT, run };
