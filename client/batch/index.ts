export { unknownBatch } from './batch-name';
export { batchReport, type BatchReport, type LiveBatch, liveBatch, rowStandings } from './batch-report';
export { BatchRuns, type StartedBatch } from './batch-runs';
export { expectedBatchEnd } from './expected-batch-end';
export { freezeBatch, freezing } from './freeze-batch';
export { type BatchPlan, planBatch, type PlanOptions } from './plan-batch';
export { type RetryPlan } from './plan-retry';
export { ResultFiles } from './result-files';
export { type ResultLine, resultLine } from './result-line';
export {
  type BatchSummary,
  createRowViews,
  type RowPage,
  type RowsRequest,
  type RowView,
  type RowViews,
} from './row-views';
export { watchBatch } from './watch-batch';
