const { existsSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');

const ROOT = join(__dirname, '..', '..');

/** A compiled file as tests name it: `'dist', 'workers', 'main.js'`. */
const COMPILED = /'dist'((?:,\s*'[\w.-]+')+)/g;

/**
 * Adds to a file's imports the sources of the compiled programs that it starts, so that `npm run test:changed` runs a
 * test when the worker or the command that it starts as a process has changed.
 */
exports.extract = (code, filePath, defaultExtract) => {
  const imports = defaultExtract(code, filePath);
  for (const [, names] of code.matchAll(COMPILED)) {
    const path = names.match(/[\w.-]+/g).join('/');
    const source = path === 'workflow-bundle.js' ? 'workflows/index' : path.replace(/\.js$/, '');
    if (existsSync(join(ROOT, `${source}.ts`))) imports.add(`./${relative(dirname(filePath), join(ROOT, source))}`);
  }
  return imports;
};

/** Jest caches the extracted imports by this key. */
exports.getCacheKey = () => '1';
