'use strict';
/** Runs Jest in a work copy, and says which tests failed in a way that proves something. */
const { existsSync, readFileSync, rmSync } = require('node:fs');
const { join, relative } = require('node:path');
const { ROOT, run } = require('./work-copy.cjs');

const CONFIGS = { quick: 'jest.quick.config.js', full: 'jest.config.js' };

/** A mutation may make a test wait for ever. No test that is named for a mutation takes this long by itself. */
const TEST_LIMIT_MS = 30_000;
const FILE_LIMIT_MS = 15 * 60_000;

/** For the whole tier, which renders whole films. */
const LONG_TEST_LIMIT_MS = 180_000;
const TIER_LIMIT_MS = 90 * 60_000;

/** A time-out of a test or its set-up proves nothing: the machine may be busy. */
const TIMEOUT = /Exceeded timeout of/;

/** The test files that a tier runs for a hint such as `store/ledger/ledger`. */
function filesOf(hint, tier) {
  const endings = tier === 'quick' ? ['.test.ts'] : ['.test.ts', '.full.test.ts'];
  return endings.map((ending) => `test/${hint}${ending}`).filter((file) => existsSync(join(ROOT, file)));
}

/**
 * Runs test files, or the whole tier if none are named.
 *
 * @returns the failed files, each with the tests whose failure proves something.
 */
async function runTests(folder, tier, files) {
  const results = join(folder, 'mutate-results.json');
  rmSync(results, { force: true });
  const [testLimitMs, limitMs] =
    files === undefined ? [LONG_TEST_LIMIT_MS, TIER_LIMIT_MS] : [TEST_LIMIT_MS, FILE_LIMIT_MS];
  const limits = ['--testTimeout', String(testLimitMs), '--forceExit'];
  const report = ['--json', '--outputFile', results, '--reporters', 'default', '--silent'];
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');
  const parameters = [jest, '--config', CONFIGS[tier], ...limits, ...report];
  if (files !== undefined) parameters.push('--runTestsByPath', ...files);
  const { output } = await run(folder, parameters, { limitMs });
  if (!existsSync(results)) throw new Error(`the tests gave no results: ${output}`);
  const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
  return testResults.filter(({ status }) => status === 'failed').map((result) => failureOf(folder, result));
}

/** The failed tests of a file in Jest's results whose failure proves something. */
function failureOf(folder, { name, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const reasons = failed.map(({ failureMessages }) => failureMessages.join('\n'));
  // If every test fails with the same error at the same place, the set-up has failed.
  const isSetup =
    assertionResults.length > 1 && failed.length === assertionResults.length && new Set(reasons).size === 1;
  const isProof = (_test, index) => !isSetup && !TIMEOUT.test(reasons[index]);
  const passed = assertionResults.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName);
  return { file: relative(folder, name), tests: failed.filter(isProof).map(({ fullName }) => fullName), passed };
}

/**
 * The tests of a failed file that pass without the mutation: a test that fails anyway proves nothing.
 *
 * @param unmutated the file's failure without the mutation; undefined if it passes.
 */
function provenAgainst({ tests }, unmutated) {
  return unmutated === undefined ? tests : tests.filter((test) => unmutated.passed.includes(test));
}

module.exports = { failureOf, filesOf, provenAgainst, runTests };
