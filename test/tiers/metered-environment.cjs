const { TestEnvironment } = require('jest-environment-node');
const { appendFileSync } = require('node:fs');
const { isNativeError } = require('node:util/types');
const { cpuSeconds } = require('./cpu-seconds.cjs');

/** Runs a test file as Jest's Node environment does, and tells the CPU reporter what the file has taken. */
module.exports = class MeteredEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.testPath = context.testPath;
    this.before = cpuSeconds();
    knowErrorsOfNode(this.global.Error);
  }

  async teardown() {
    await super.teardown();
    const record = process.env.DAILIES_CPU_RECORD;
    if (record === undefined) return;
    appendFileSync(record, `${JSON.stringify({ file: this.testPath, cpuSeconds: cpuSeconds() - this.before })}\n`);
  }
};

/** What Node itself throws comes from outside of the vm that tests run in. To the code it has to be an Error as elsewhere. */
function knowErrorsOfNode(VmError) {
  Object.defineProperty(VmError, Symbol.hasInstance, {
    value(thing) {
      return (this === VmError && isNativeError(thing)) || Function.prototype[Symbol.hasInstance].call(this, thing);
    },
  });
}
