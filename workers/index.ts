/** For programs that run workers of their own, or open Dailies by the environment as the command does. */
export { type Config, readConfig } from './config';
export { ConfigError } from './config-error';
export { workerDependencies } from './dependencies';
export { WORKFLOW_BUNDLE } from './deployment';
export { openDailies } from './open-dailies';
export { LoggerTooLate, type OwnWorkerOptions, startWorker, type WorkerLogger } from './own-worker';
export { type DailiesWorker, type DailiesWorkerOptions } from './worker';
export { WorkerPackageMissing } from './worker-package';
