export { startSandbox, type Sandbox, type SandboxOptions } from './start-sandbox';
export { LAST_FRAME_PLACES, type LastFramePlace } from './http/answers';
export { SANDBOX_MODELS, type SandboxModel } from './sandbox-models';
export type { FaultControl, FaultOptions } from './faults/create-faults';
export { FAULTS, type FaultName } from './faults/fault-table';
export type { Injection } from './faults/injection';
export type { SandboxTask } from './tasks/task-journal';
export type { TaskReads } from './tasks/read-log';
