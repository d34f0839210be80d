const config = require('./jest.config.js');

/** `npm test`: all test files except `X.full.test.ts`, which `npm run test:full` adds. See docs/decisions/0037. */
module.exports = {
  ...config,
  // For two cores: a suite waits for its servers and processes almost half of the time.
  maxWorkers: 4,
  testPathIgnorePatterns: [...config.testPathIgnorePatterns, '\\.full\\.test\\.ts$'],
  reporters: ['default', ['<rootDir>/test/tiers/cpu-reporter.cjs', { budgetFile: 'test/tiers/cpu-budget.json' }]],
};
