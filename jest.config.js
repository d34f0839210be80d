/**
 * All tests but the long ones: `npm run test:full`. See docs/decisions/0037.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  // Records for the reporter how much CPU each file takes.
  testEnvironment: '<rootDir>/test/tiers/metered-environment.cjs',
  reporters: ['default', '<rootDir>/test/tiers/cpu-reporter.cjs'],
  dependencyExtractor: '<rootDir>/test/tiers/dependency-extractor.cjs',
  testSequencer: '<rootDir>/test/tiers/longest-first.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/long/'],
  // A limit for tests that hang, not a measure: whole films are rendered here, on machines that may be busy.
  testTimeout: 600_000,
  // For two cores: what is only in the full tier waits for servers and processes more than half of the time.
  maxWorkers: 6,
  // Tests run inside a vm, where reading a global is slow; the sandbox's pictures are painted 6 to 19 times faster so.
  sandboxInjectedGlobals: ['Math'],
  // A worker's files leave up to 50 MB each that is never freed, and collecting garbage takes ever longer.
  workerIdleMemoryLimit: '500MB',
  // Some modules are imported with the ending `.js`, as Node's loader requires.
  moduleNameMapper: {
    '^(\\.\\.?/.+)\\.js$': '$1',
    '^@temporalio/proto$': '<rootDir>/test/tiers/temporal-proto.cjs',
  },
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, sourceMaps: true }],
  },
};
