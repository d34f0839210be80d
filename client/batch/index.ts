export { batchReport, type BatchReport, type LiveBatch, liveBatch, rowStandings } from './batch-report';
export { type BatchRuns, createBatchRuns, freezing, type StartedBatch, unknownBatch } from './batch-runs';
export { isBatchFile } from './batch-source';
export { checkBatch, type CheckedBatch, rulesOfFile } from './check-batch';
export { freezeBatch, intoNothing } from './freeze-batch';
export { openResultFiles, type ResultFiles } from './result-files';
export { type ResultLine, resultLine } from './result-line';
export { formatRowIssues, type RowIssue } from './row-issue';
export { watchBatch } from './watch-batch';
