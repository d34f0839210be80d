export { findUnused, type Unused } from './find-unused';
export { type Freed, pruneStore } from './prune-store';
