const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Files that take longest on the clock, the longest first: most of the time they wait, for example until a submit counts
 * as unclear. Started last, one of them would keep the others' workers idle. On a fresh clone Jest knows no durations.
 */
const LONGEST = [
  'docs/first-film',
  'crash/batch',
  'crash/fail-points',
  'workflows/batch/batch',
  'workflows/arbiter/arbiter',
  'workflows/budget-seeds',
  'scripts/printed-commands',
  'workflows/batch-ready-by',
  'hostile/worker',
  'workflows/budgeted-production',
  'scripts/interrupted',
  'scripts/directing',
  'crash/drill',
  'workflows/parking',
  'scripts/resolve',
  'scripts/render',
  'workflows/ready-by',
  'workflows/decisions',
].map((name) => `/test/${name}.full.test.ts`);

/** The longest files first, the others in the order in which they were. */
function longestFirst(tests) {
  const rank = ({ path }) => {
    const place = LONGEST.findIndex((name) => path.endsWith(name));
    return place === -1 ? LONGEST.length : place;
  };
  return tests.toSorted((one, other) => rank(one) - rank(other));
}

/** Jest's own order behind the longest files. */
class LongestFirst extends Sequencer {
  sort(tests) {
    return longestFirst(super.sort(tests));
  }
}

module.exports = LongestFirst;
module.exports.LONGEST = LONGEST;
module.exports.longestFirst = longestFirst;
