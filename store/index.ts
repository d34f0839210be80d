export { type ArbiterEpochs } from './account/arbiter-epochs';
export { type StoredAccount } from './account/account';
export { type AccountLimits, type LimitsInForce } from './account/limits';
export {
  isUnclearLease,
  leasedSending,
  longestTaskMs,
  sendingState,
  takeInWords,
  accountInLedger,
} from './account/under-way';
export { type Asker, isAnswered, needsNewTake, nextCount, takeOfChoice, takesOfAsk } from './ledger/ask-takes';
export {
  type AssetDescription,
  type Assets,
  type Describe,
  PartChanged,
  type PathOf,
  readJson,
  readText,
  wrapAssets,
} from './assets';
export { beginHash, type HashedBytes, hashFile } from './disk/byte-hash';
export { type Begun, begunOf, type BegunRender } from './production/begun-render';
export { type Batches, type BatchSource, type BegunBatch, readBatchIndex, readBatchPage } from './batch/batches';
export { type GivenBudget, type GivenBudgets } from './production/budgets';
export { type Measures } from './production/color-measures';
export { type BrokenTake, brokenTakes, readableTakes, type ShotTakes } from './ledger/broken-takes';
export { foreignNames } from './disk/foreign-names';
export { fewAtOnce } from './disk/few-at-once';
export { accessInWords, deniesAccess } from './disk/access';
export { errorCode, ifPresent } from './disk/durable-file';
export { linesOf } from './disk/lines';
export { type ChoiceAddress, choiceAddress, type Directing } from './production/directing';
export { type Films } from './production/films';
export { type ArchivedHistory, type Histories, type WorkflowRun } from './production/histories';
export { type KeptPieces } from './production/kept-pieces';
export { type HeldBy, type Hold, type Holds } from './production/holds';
export { openRowContent } from './batch/row-content';
export { rowNameConflict } from './batch/row-names';
export { type AddressedModel, modelHash, type TimedOutExecutes } from './account/timed-out-executes';
export { type GateRecord, type Probe, type OpeningStep, type GateClosing } from './account/gate-record';
export { type KeyFingerprints } from './account/key-fingerprint';
export { type Ledger, type LedgerView, type SendingEnd, type WrittenTake } from './ledger/ledger';
export {
  type AliasOf,
  type Answered,
  type Intent,
  type LedgerDecision,
  type Output,
  type Refused,
  type Sent,
  type Settled,
} from './ledger/ledger-records';
export { type Notices, type NoticeResult, targetName } from './production/notices';
export { type NotedOutPlaces, type OutPlace, type Publication } from './production/out-places';
export { isOwnTaskId, ownTaskId } from './ledger/own-task-id';
export { type ForkRecord, type Productions } from './production/productions';
export { ifReadable, isDamaged, isRecordId, UnreadableRecord } from './records';
export { type Prune, type Prunes } from './backup/prunes';
export { addSums, type Quotes, sumQuotes } from './account/quotes';
export {
  type FolderStore,
  openStore,
  type Store,
  STORE_FORMAT,
  STORE_ID,
  StoreError,
  storeIdOf,
  type StoreView,
  viewStore,
} from './store';
export { isSameTake, type ShotAddress, type TakeAddress } from './ledger/take-address';
export { reservationOf, spendingOf } from './account/spending';
export {
  acceptance,
  decisionAfter,
  lastDecisionNumber,
  chargeOf,
  hasCompleted,
  isAliasWithoutOutput,
  isGivenUp,
  isRefused,
  isSentBy,
  isSkipped,
  currentOutput,
  outputOf,
  ledgerState,
  type Sending,
  taskIdOf,
  tasksOf,
  type TakeHistory,
  type LedgerState,
} from './ledger/take-history';
export {
  accountHash,
  type Ask,
  askedParameters,
  askKey,
  canonicalJson,
  hashOf,
  shotDigest,
  type LinkOrigin,
  takeKey,
} from './ledger/take-key';
export { lacksTake } from './backup/latest-take';
export { TakeMismatch } from './ledger/take-mismatch';
export { type DiskSpace, diskSpaceInWords } from './disk/disk-space';
export { completeRebuilt, type TakeInLedger, ensureTake } from './ledger/rebuilt-takes';
export { lostIntent, type WorkflowTask } from './ledger/lost-intent';
export {
  holdClaimed,
  isHeld,
  type RestoredGap,
  restoredMark,
  type Restores,
  RestoreUnfinished,
} from './backup/restored';
export { type RunsHold } from './account/runs-hold';
export { type FrozenSchedule, type NumberedVersion, type Overlap, OVERLAPS, type Schedules } from './batch/schedules';
export { type ScheduledRun, type ScheduledRuns } from './batch/scheduled-runs';
export { quickModels, withSendingModes } from './account/sending-modes';
export { objectionToPolicy } from './backup/unclear-policy';
export { type FilmClip, filmHash, type WantedFilm, wantedFilm } from './production/wanted-film';
export { isOutputStored, lostInWords } from './ledger/stored-output';
export { type EndSeen, type UsualTimes } from './account/usual-times';
