const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** More test files than this that fail at once are no accident: they are not run again. */
const AT_MOST_AGAIN = 3;

/**
 * Reads Jest's results in a folder: `quick.json` and `full.json`, and `quick-again.json` or `full-again.json` with the
 * results of the files that were run a second time.
 *
 * `node .ci/results.cjs failed FILE` prints the test files to run again: those that failed, if there are at most three.
 * `node .ci/results.cjs count FOLDER` names the files that passed only in the second run, prints `N passed, N failed`,
 * and ends with 1 if a test failed, or if a tier ran no test.
 */
const [verb, path] = process.argv.slice(2);
if (verb === 'failed') printFailed(path);
else process.exitCode = count(path);

function printFailed(file) {
  const failed = failedSuites(read(file));
  if (failed.length <= AT_MOST_AGAIN) console.log(failed.map(({ name }) => name).join('\n'));
}

function count(folder) {
  let passed = 0;
  let failed = 0;
  let empty = false;
  for (const tier of ['quick', 'full']) {
    const results = read(join(folder, `${tier}.json`));
    const again = read(join(folder, `${tier}-again.json`));
    passed += results?.numPassedTests ?? 0;
    // No results: nothing has run.
    empty ||= !results?.numPassedTests;
    if (again === undefined) {
      failed += failures(results);
      continue;
    }
    const before = failedSuites(results).flatMap(({ assertionResults }) => assertionResults);
    passed += again.numPassedTests - before.filter(({ status }) => status === 'passed').length;
    failed += failures(again);
    const mended = (again.testResults ?? []).filter(({ status }) => status === 'passed');
    for (const { name } of mended) console.log(`PASSED ONLY WHEN RUN AGAIN: ${name}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && !empty ? 0 : 1;
}

/** A suite that does not even load has no tests to fail. */
function failures(results) {
  return (results?.numFailedTests ?? 0) + (results?.numRuntimeErrorTestSuites ?? 0);
}

function failedSuites(results) {
  return (results?.testResults ?? []).filter(({ status }) => status === 'failed');
}

function read(file) {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
