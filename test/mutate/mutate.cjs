'use strict';
/**
 * Removes each guard of docs/guarantees.md from the code, one at a time, and checks that a test fails.
 *
 *   npm run mutate -- [--tier quick|full] [--only NAME] [--all]
 *
 * For each mutation the test files that are named for it run first, and the whole tier only if none of them fails;
 * `--all` runs the whole tier each time. Exit code 1: a mutation is not found, or cannot be applied.
 */
const { parseArgs } = require('node:util');
const { MUTATIONS } = require('./mutations.cjs');
const { filesOf, provenAgainst, runTests } = require('./test-runs.cjs');
const { createWorkCopy } = require('./work-copy.cjs');

const TIERS = ['quick', 'full'];

const { values: options } = parseArgs({
  options: { tier: { type: 'string' }, only: { type: 'string', multiple: true }, all: { type: 'boolean' } },
});

async function main() {
  const tiers = options.tier === undefined ? TIERS : TIERS.filter((tier) => tier === options.tier);
  const chosen = MUTATIONS.filter(({ name }) => options.only === undefined || options.only.includes(name));
  if (tiers.length === 0) throw new Error(`there is no tier ${options.tier}: it is ${TIERS.join(' or ')}`);
  if (chosen.length === 0) throw new Error(`there is no mutation ${options.only.join(', ')}`);
  const copy = createWorkCopy();
  process.once('exit', copy.remove);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const judge = createJudge(copy);
  const rows = [];
  for (const mutation of chosen) {
    const found = [];
    for (const tier of tiers) {
      const startMs = Date.now();
      found.push(await judge(mutation, tier));
      const seconds = Math.round((Date.now() - startMs) / 1_000);
      process.stderr.write(`${mutation.name}, ${tier} (${seconds} s): ${found.at(-1).words}\n`);
    }
    rows.push({ mutation, found });
  }
  printTable(tiers, rows);
  return rows.every(({ found }) => found.every(({ isFound }) => isFound)) ? 0 : 1;
}

/** Returns a function that says, for a mutation and a tier, which test finds the mutation. */
function createJudge(copy) {
  /** How test files fail without a mutation; undefined for a file that passes. */
  const unmutated = new Map();

  async function unmutatedFailure(file, tier, mutation) {
    if (!unmutated.has(file)) {
      copy.restore();
      const [failure] = await runTests(copy.folder, tier, [file]);
      unmutated.set(file, failure);
      await copy.apply(mutation);
    }
    return unmutated.get(file);
  }

  async function firstProof(mutation, tier, files) {
    for (const failure of await runTests(copy.folder, tier, files)) {
      if (failure.tests.length === 0) continue;
      const tests = provenAgainst(failure, await unmutatedFailure(failure.file, tier, mutation));
      if (tests.length > 0) return { file: failure.file, tests };
    }
    return undefined;
  }

  async function proofOf(mutation, tier) {
    const hints = options.all ? [] : mutation.tests.flatMap((hint) => filesOf(hint, tier));
    for (const file of hints) {
      const proof = await firstProof(mutation, tier, [file]);
      if (proof !== undefined) return proof;
    }
    return firstProof(mutation, tier, undefined);
  }

  return async (mutation, tier) => {
    try {
      await copy.apply(mutation);
      const proof = await proofOf(mutation, tier);
      return proof === undefined ? { isFound: false, words: 'NOT FOUND' } : { isFound: true, words: inWords(proof) };
    } catch (error) {
      return { isFound: false, words: `NOT RUN: ${error.message}` };
    } finally {
      copy.restore();
    }
  };
}

function inWords({ file, tests }) {
  const more = tests.length > 1 ? `, and ${tests.length - 1} more` : '';
  return `${file.replace(/^test\//, '').replace(/\.test\.ts$/, '')}: ${tests[0]}${more}`;
}

function printTable(tiers, rows) {
  const lines = [['guard removed', ...tiers.map((tier) => `found by ${tier}`)]];
  lines.push(lines[0].map(() => '---'));
  for (const { mutation, found } of rows) lines.push([mutation.guard, ...found.map(({ words }) => words)]);
  process.stdout.write(lines.map((cells) => `| ${cells.join(' | ')} |\n`).join(''));
  for (const [index, tier] of tiers.entries()) {
    const isFound = rows.filter(({ found }) => found[index].isFound).length;
    process.stdout.write(`${tier}: ${isFound} of ${rows.length} found\n`);
  }
}

main().then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
