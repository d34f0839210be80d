/** The package's exports for programs: see docs/programs.md. `client/index.ts` adds internal functions. */
export {
  connectTemporal,
  type ConnectTemporalOptions,
  type TemporalConnection,
  TemporalUnreachable,
} from '../temporal/connect';
export { type BatchObject, type GivenRows } from '../batch-file/given-batch';
export { type DailiesClient } from '../dailies/dailies-client';
export { DATA_CONVERTER } from '../temporal/large-payloads';
export { Refused } from '../wording/refused';
export { type AccountPrograms, type ClosedSubmits } from './account';
export { type BatchSummary, type RetryPlan, type RowPage, type RowsRequest, type RowView } from '../batch';
export { type BatchOptions, type Batches, type WaitForBatchOptions } from './batches';
export { type ProgramConfig } from './context';
export {
  connectDailies,
  type ConnectOptions,
  type Dailies,
  dailiesOver,
  type DailiesParts,
  type ProgramOptions,
} from './dailies';
export { type Changes, type Directed, type Directing } from './directing';
export { type PlannedChange } from './planned-change';
export { type Settlement } from '../books';
export { type DecisionForMany, DecisionsStopped, type ResolvedMany } from '../dailies/resolve-many';
export { InvalidBatch } from './invalid-batch';
export { type ScheduleGiven, type SchedulePrograms, type ScheduleOptions } from './schedule-programs';
export { type Given, type GivenOptions, type ProductionObject, type ProductionText } from './given';
export { InvalidInput } from './invalid-input';
export { type Productions, type Rendered, type RenderOptions, type WaitOptions } from './productions';
export { type ChangedAll, type Steering, type UnderWay } from './steering';
export { type Generated, type GenerateOptions, type Task, type Tasks } from './tasks';
