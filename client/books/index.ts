export { archiveHistories } from './archive-histories';
export { audit, type Audit } from './audit';
export { type ReadTask } from './check-gateway';
export { type Difference, DIFFERENCES } from './difference';
export { ledgerBooks } from './ledger-books';
export { type Settlement, settle } from './settlement';
