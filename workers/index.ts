/** Exports for programs that run their own workers, or that open Dailies from the environment as the command does. */
export { type Config, readConfig } from './config/config';
export { ConfigError } from './config/config-error';
export { workerDependencies } from './dependencies';
export { WORKFLOW_BUNDLE } from './config/deployment';
export { openDailies } from './open-dailies';
export { LoggerTooLate, type OwnWorkerOptions, startWorker, type WorkerLogger } from './own-worker';
export { type DailiesWorker, type DailiesWorkerOptions } from './worker';
export { WorkerPackageMissing } from './worker-package';
