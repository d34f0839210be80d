export { type AssetDescription, type Assets, type Describe, hashFile } from './assets';
export { errorCode } from './durable-file';
export { createHolds, type Hold, type Holds } from './holds';
export { type Ledger, type SendingEnd, type TakeAddress } from './ledger';
export { type Intent, type Output, type Settled } from './ledger-records';
export { type Records } from './records';
export { openStore, type Store, STORE_FORMAT, StoreError } from './store';
export { standing, type TakeHistory, type TakeStanding } from './take-history';
export { accountHash, type Ask, askKey, canonicalJson, hashOf, type LinkOrigin, takeKey } from './take-key';
