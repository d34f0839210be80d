const config = require('./jest.config.js');

/** What takes long or needs more than `npm test` sets up: `npm run test:long`. */
module.exports = { ...config, roots: ['<rootDir>/test/long'], testPathIgnorePatterns: [], testTimeout: 1_800_000 };
