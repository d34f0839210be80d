export { batchReport, type BatchReport, type LiveBatch, liveBatch, rowStandings } from './batch-report';
export { type BatchRuns, createBatchRuns, freezing, type StartedBatch, unknownBatch } from './batch-runs';
export { freezeBatch } from './freeze-batch';
export { type BatchPlan, planBatch, type PlanOptions } from './plan-batch';
export { openResultFiles, type ResultFiles } from './result-files';
export { type ResultLine, resultLine } from './result-line';
export { watchBatch } from './watch-batch';
