// In place of `@temporalio/proto` in tests: the module that metered-environment.cjs loads outside their vm.
module.exports = globalThis.temporalProto;
