const { TestEnvironment } = require('jest-environment-node');
const { appendFileSync } = require('node:fs');
const { cpuSeconds } = require('./cpu-seconds.cjs');

/** Runs a test file as Jest's Node environment does, and tells the CPU reporter what the file has taken. */
module.exports = class MeteredEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.testPath = context.testPath;
    this.before = cpuSeconds();
  }

  async teardown() {
    await super.teardown();
    const record = process.env.DAILIES_CPU_RECORD;
    if (record === undefined) return;
    appendFileSync(record, `${JSON.stringify({ file: this.testPath, cpuSeconds: cpuSeconds() - this.before })}\n`);
  }
};
