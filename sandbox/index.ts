export { startSandbox, type Sandbox, type SandboxOptions } from './start-sandbox';
export { LAST_FRAME_PLACES, type LastFramePlace } from './answers';
export { SANDBOX_MODELS, type SandboxModel } from './sandbox-models';
export type { FaultOptions } from './faults';
export type { SandboxTask } from './task-journal';
