const { TestEnvironment } = require('jest-environment-node');
const { appendFileSync } = require('node:fs');
const { isNativeError } = require('node:util/types');
const { cpuSeconds } = require('./cpu-seconds.cjs');

/** Runs a test file as Jest's Node environment does, and records its CPU time for the CPU reporter. */
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

/** Node's own errors are created outside the vm that tests run in; this makes them pass `instanceof Error` inside it. */
function knowErrorsOfNode(VmError) {
  Object.defineProperty(VmError, Symbol.hasInstance, {
    value(thing) {
      return (this === VmError && isNativeError(thing)) || Function.prototype[Symbol.hasInstance].call(this, thing);
    },
  });
}
