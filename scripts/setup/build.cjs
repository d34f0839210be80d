'use strict';
const { createHash } = require('node:crypto');
const {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { join } = require('node:path');
const { runAloud } = require('./say.cjs');

/** Scripts and styles for browsers. The scripts have a tsconfig.json of their own. */
const BROWSER = 'studio/browser';

/** Whether dist/ was built from the current sources. */
function isBuilt(root) {
  try {
    return readFileSync(stampOf(root), 'utf8') === fingerprint(root);
  } catch {
    return false;
  }
}

/** Compiles into dist/ and bundles the workflows, so that a worker starts in a second. */
async function build(root) {
  const sources = fingerprint(root);
  const stamp = stampOf(root);
  mkdirSync(join(stamp, '..'), { recursive: true });
  rmSync(stamp, { force: true });
  removeOrphans(root);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const memory = join(stamp, '..', 'tsbuildinfo');
  await runAloud(
    { doing: 'compiling', takes: 'about ten seconds' },
    process.execPath,
    [tsc, '-p', 'tsconfig.build.json', '--incremental', '--tsBuildInfoFile', memory],
    { cwd: root },
  );
  await runAloud(
    { doing: "compiling the studio's scripts", takes: 'some seconds' },
    process.execPath,
    [tsc, '-p', join('studio', 'browser')],
    { cwd: root },
  );
  for (const name of readdirSync(join(root, BROWSER)).filter((file) => /\.(css|svg)$/.test(file))) {
    copyFileSync(join(root, BROWSER, name), join(root, 'dist', BROWSER, name));
  }
  // npx makes the file executable only when it first links a clone, not after a later build.
  chmodSync(join(root, 'dist', 'scripts', 'dailies.js'), 0o755);
  await runAloud(
    { doing: 'bundling the workflows', takes: 'a few seconds' },
    process.execPath,
    [join(root, 'dist', 'workers', 'build-bundle.js')],
    { cwd: root },
  );
  writeFileSync(stamp, sources);
}

/**
 * Removes compiled files whose source is gone, because Node would load a stale `name.js` instead of the folder `name`.
 */
function removeOrphans(root) {
  const { folders, exclude } = sourceFolders(root);
  const sources = new Set(
    [...folders, BROWSER].flatMap((folder) => filesUnder(root, folder, folder === BROWSER ? [] : exclude)),
  );
  const compiled = folders.filter((folder) => existsSync(join(root, 'dist', folder)));
  for (const file of compiled.flatMap((folder) => filesUnder(join(root, 'dist'), folder, []))) {
    const source = file.replace(/\.(d\.ts|js|js\.map)$/, '.ts');
    if (!sources.has(source) && !sources.has(file)) rmSync(join(root, 'dist', file));
  }
}

function stampOf(root) {
  return join(root, 'dist', '.setup', 'sources');
}

/**
 * Hash of everything that the build reads. It uses contents, because a clone or checkout gives every file a new
 * modification time.
 */
function fingerprint(root) {
  const hash = createHash('sha256');
  const { folders, exclude } = sourceFolders(root);
  const sources = [...folders, BROWSER]
    .flatMap((folder) => filesUnder(root, folder, folder === BROWSER ? [] : exclude))
    .filter((file) => /\.(ts|css|svg|json)$/.test(file));
  for (const file of ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', ...sources.sort()]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function sourceFolders(root) {
  const { include, exclude = [] } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return { folders: include.filter((folder) => folder !== 'test'), exclude };
}

function filesUnder(root, folder, exclude) {
  if (exclude.includes(folder)) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(root, path, exclude) : [path];
  });
}

if (require.main === module) {
  const root = join(__dirname, '..', '..');
  const isDue = !process.argv.includes('--if-changed') || !isBuilt(root);
  (isDue ? build(root) : Promise.resolve()).catch((error) => {
    process.stderr.write(`\n${error.message}\n`);
    process.exit(1);
  });
}

module.exports = { build, isBuilt };
