const { TestEnvironment } = require('jest-environment-node');
const { AsyncLocalStorage } = require('node:async_hooks');
const { appendFileSync } = require('node:fs');
const { isNativeError } = require('node:util/types');
const { setFlagsFromString } = require('node:v8');
const vm = require('node:vm');
const { compileOnce } = require('./compile-once.cjs');
const { cpuSeconds } = require('./cpu-seconds.cjs');

// Jest looks it up in this module at each call.
vm.compileFunction = compileOnce(vm.compileFunction);

setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');
// Tests do not see it.
setFlagsFromString('--no-expose-gc');

/** The storages that a test file uses. Unless they are disabled, they run at each promise of all later files. */
const used = new Set();

// Node keeps every storage that was used. Newer versions have no `_enable`, and keep none. One storage stays in use:
// Node aborts if the last one ends within a callback.
const lastStorage = new AsyncLocalStorage();
const { _enable } = AsyncLocalStorage.prototype;
if (_enable !== undefined) {
  AsyncLocalStorage.prototype._enable = function () {
    if (this !== lastStorage) used.add(this);
    _enable.call(this);
  };
}

/** CPU of a file that may leave much garbage. A collection takes about 0.1 s. */
const MUCH_CPU_SECONDS = 3;

/**
 * Runs a test file as Jest's Node environment does, and records its CPU time for the CPU reporter.
 *
 * After a file that took much CPU it collects garbage, so that Jest replaces a worker (`workerIdleMemoryLimit`) only for
 * what has really leaked.
 */
module.exports = class MeteredEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.testPath = context.testPath;
    this.before = cpuSeconds();
    knowErrorsOfNode(this.global.Error);
    // Loaded once for all files of a worker: it takes half a second, and has no state. See temporal-proto.cjs.
    Object.defineProperty(this.global, 'temporalProto', { get: () => require('@temporalio/proto') });
  }

  async teardown() {
    try {
      await super.teardown();
    } finally {
      lastStorage.run(undefined, () => undefined);
      for (const storage of used) storage.disable();
      used.clear();
    }
    const taken = cpuSeconds() - this.before;
    if (taken > MUCH_CPU_SECONDS) collectGarbage();
    const record = process.env.DAILIES_CPU_RECORD;
    if (record === undefined) return;
    appendFileSync(record, `${JSON.stringify({ file: this.testPath, cpuSeconds: taken })}\n`);
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
