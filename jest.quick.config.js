const config = require('./jest.config.js');

/** What `npm test` runs: all but the files `X.full.test.ts`, which `npm run test:full` adds. See docs/decisions/0037. */
module.exports = {
  ...config,
  testPathIgnorePatterns: [...config.testPathIgnorePatterns, '\\.full\\.test\\.ts$'],
  reporters: ['default', ['<rootDir>/test/tiers/cpu-reporter.cjs', { budgetFile: 'test/tiers/cpu-budget.json' }]],
};
