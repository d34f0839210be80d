export { type AssetDescription, type Assets, type Describe, hashFile } from './assets';
export { errorCode } from './durable-file';
export { createGateRecord, type GateRecord } from './gate-record';
export { type Ledger, type SendingEnd, type TakeAddress } from './ledger';
export { type Intent, type LedgerDecision, type Output, type Settled } from './ledger-records';
export { type Records } from './records';
export { openStore, type Store, STORE_FORMAT, StoreError } from './store';
export { standing, type TakeHistory, type TakeStanding } from './take-history';
export { accountHash, type Ask, askKey, canonicalJson, hashOf, type LinkOrigin, takeKey } from './take-key';
