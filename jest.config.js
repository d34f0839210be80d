/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/long/'],
  testTimeout: 120_000,
  // The machine that tests run on may have two cores, and each suite starts real servers.
  maxWorkers: 2,
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, sourceMaps: 'inline' }],
  },
};
