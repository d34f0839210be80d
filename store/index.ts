export { type ArbiterEpochs, createArbiterEpochs } from './arbiter-epochs';
export { type AccountLimits, createAccountLimits, type LimitsInForce } from './limits';
export { isUnclearLease, leasedSending, longestTaskMs, sendingStanding, takeInWords, wholeAccount } from './under-way';
export { type Asker, isAnswered, isOver, nextCount, takeOfChoice, takesOfAsk } from './ask-takes';
export { type AssetDescription, type Assets, type Describe, PartChanged } from './assets';
export { beginHash, type HashedBytes, hashFile } from './byte-hash';
export { type Begun, begunOf, type BegunRender, begunRender, endedRender, noteRender } from './begun-renders';
export {
  type Batches,
  type BatchSource,
  type BegunBatch,
  createBatches,
  readBatchIndex,
  readBatchPage,
} from './batches';
export { keptMeasures, measuredOnce } from './color-measures';
export { type BrokenTake, brokenTakes, readableTakes, type ShotTakes } from './broken-takes';
export { foreignNames } from './foreign-names';
export { fewAtOnce } from './few-at-once';
export { accessInWords, deniesAccess } from './access';
export { errorCode, ifPresent } from './durable-file';
export { type ChoiceAddress, choiceAddress, createDirecting, type Directing } from './directing';
export { createKeptPieces, type KeptPieces, removePieces, sweepPieces } from './kept-pieces';
export { createHolds, type HeldBy, type Hold, type Holds } from './holds';
export { openRowContent } from './row-content';
export { otherOfRowName } from './row-names';
export { type AddressedModel, createTimedOutExecutes, modelHash, type TimedOutExecutes } from './timed-out-executes';
export {
  closedModelGates,
  createGateRecord,
  type GateRecord,
  type LastTry,
  type OpeningStep,
  type StandingGate,
} from './gate-record';
export { createKeyFingerprints, type KeyFingerprints } from './key-fingerprint';
export { isSameTake, type Ledger, ownerOf, type SendingEnd, type TakeAddress, type WrittenTake } from './ledger';
export {
  type AliasOf,
  type Answered,
  type Intent,
  type LedgerDecision,
  type Output,
  type Refused,
  type Sent,
  type Settled,
} from './ledger-records';
export { createNotices, type Notices, type NoticeStanding, targetName } from './notices';
export { isOwnTaskId, ownTaskId } from './own-task-id';
export { ifReadable, numbersOf, type Records } from './records';
export { beginPrune, outlastPrunes, type Prune, pruneUnderWay } from './prunes';
export { createQuotes, plusSum, type Quotes, sumOf } from './quotes';
export { openStore, type Store, STORE_FORMAT, STORE_ID, StoreError, type StoreView, viewStore } from './store';
export { reservationOf, spendingOf } from './spending';
export {
  chargeOf,
  hasCompleted,
  isOfNothing,
  isGivenUp,
  isRefused,
  isSentBy,
  isSkipped,
  leftBy,
  outputOf,
  standing,
  type Sending,
  taskIdOf,
  tasksOf,
  type TakeHistory,
  type TakeStanding,
} from './take-history';
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
} from './take-key';
export { isAnsweredFor, lacksTake } from './latest-take';
export { TakeMismatch } from './take-mismatch';
export { diskSpace, diskSpaceInWords } from './disk-space';
export { completeRebuilt, type KeptTake, keptTake } from './rebuilt-takes';
export { lostIntent, type WorkflowTask } from './lost-intent';
export { holdClaimed, isHeld, openGap, restoredMark } from './restored';
export { createRunsHold, type RunsHold } from './runs-hold';
export {
  claimRunId,
  numberRun,
  runIds,
  runOf,
  scheduleOf,
  type ScheduledRun,
  scheduledRun,
  SCHEDULES,
  settleRun,
} from './scheduled-runs';
export { quickModels, withSendingModes } from './sending-modes';
export { objectionToPolicy } from './unclear-policy';
export { filmKey, FILMS, type FilmClip, type WantedFilm, wantedFilm } from './wanted-film';
export { isWhole, lostInWords } from './whole-output';
export { createUsualTimes, type EndSeen, type UsualTimes } from './usual-times';
