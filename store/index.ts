export { type AssetDescription, type Assets, type Describe, hashFile } from './assets';
export { errorCode } from './durable-file';
export { createHolds, type Hold, type Holds } from './holds';
export { createGateRecord, type GateRecord, type LastTry, type StandingGate } from './gate-record';
export { isSameTake, type Ledger, type SendingEnd, type TakeAddress } from './ledger';
export { type Answered, type Intent, type LedgerDecision, type Output, type Settled } from './ledger-records';
export { type Records } from './records';
export { openStore, type Store, STORE_FORMAT, StoreError } from './store';
export {
  isGivenUp,
  isSkipped,
  outputOf,
  standing,
  type Sending,
  type TakeHistory,
  type TakeStanding,
} from './take-history';
export { accountHash, type Ask, askKey, canonicalJson, hashOf, type LinkOrigin, takeKey } from './take-key';
export { diskSpace, diskSpaceInWords } from './disk-space';
export { holdClaimed, isHeld, openGap, restoredMark } from './restored';
