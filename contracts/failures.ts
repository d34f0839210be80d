/**
 * Every type of ApplicationFailure that an activity throws. docs/failures.md explains each; a test holds the two equal.
 *
 * `retried` failures are repeated by Temporal's policy; the others end the activity and the workflow decides.
 */
export const FAILURES = {
  /** The task has not ended; the next read is due after the delay. Benign. */
  TaskPending: { retried: true },
  /** A read of the task's result was refused, broken or not answered. */
  GatewayUnreadable: { retried: true },
  /** 429 on a submit: surely not accepted, sent again after the time the gateway names. */
  GatewayThrottled: { retried: true },
  /** The gateway cannot be reached, or says that it is down: surely not accepted. */
  GatewayDown: { retried: true },
  /** The production is paused, or was interrupted, and nobody has said yet that it goes on. */
  ProductionHeld: { retried: true },
  /** 401 or 403 on a submit: the key is refused; every submit of the account waits until it works. Benign, since each worker tells it once. */
  KeyRefused: { retried: true },
  /** Another attempt has sent the take, and its answer may still come. Benign. */
  AnswerAwaited: { retried: true },
  /** The arbiter of the account cannot be asked for the right to submit; nothing is sent. */
  ArbiterUnreachable: { retried: true },
  /** The run of a scheduled time was begun by another, and has not ended. Benign. */
  RunUnderWay: { retried: true },
  /** Temporal cannot be asked whether a schedule is paused, or a run has ended; no run of it begins. */
  ScheduleUnreachable: { retried: true },
  /** The worker stood still between the record that it sends and the request; it did not send. */
  WorkerStalled: { retried: true },
  /** The ledger cannot be written or read; nothing is sent. */
  LedgerUnavailable: { retried: true },
  /** The ledger lacks a take that was sent, or Temporal cannot be asked which was the last; nothing is sent. */
  StaleLedger: { retried: true },
  /** The ledger has another take than the workflow, or the task belongs to another take by now; nothing is written. */
  TakeMismatch: { retried: false },
  /** The asset did not arrive whole, or something else came in its place; the next attempt reads its address anew. */
  DownloadInterrupted: { retried: true },
  /** The store cannot take the bytes, as with a full disk. */
  StoreUnavailable: { retried: true },
  /** What arrived was time and again not what such a task leaves, as an HTML page in place of a clip. */
  OutputUnusable: { retried: false },
  /** The output is sound, and of another kind than was said that the model makes. */
  OutputOfOtherKind: { retried: false },
  /** The address of the output is one that Dailies does not read from. */
  AddressRefused: { retried: false },
  /** ffmpeg refused or crashed. */
  MediaFailed: { retried: true },
  /** ffmpeg refused the bytes as often as it was asked. */
  MediaUnusable: { retried: false },
  /** No ffmpeg was found on this worker. */
  FfmpegMissing: { retried: false },
  /** The frozen production or one of its files is not in this store. */
  AssetMissing: { retried: false },
  /** A text that another shot wrote is empty, or longer than the parameter that it is for takes. */
  TextNotSendable: { retried: false },
  /** The id of a batch's row belongs to another batch, or to a production that a person renders from a file. */
  RowRefused: { retried: false },
  /** The id of a scheduled run belongs to another production, or to another account; or what it is cannot be read. */
  RunRefused: { retried: false },
  /** A notice was not answered with success; it is posted again. */
  HookFailed: { retried: true },
  /** The worker has no secret to sign notices with; none is sent. */
  NotifySecretMissing: { retried: true },
  /** The receiver wants no more, or its address is one that Dailies does not post to. */
  HookRefused: { retried: false },
  /** A file cannot be sent in any way that the configuration allows. */
  FileNotSendable: { retried: false },
} as const satisfies Record<string, { readonly retried: boolean }>;

export type FailureType = keyof typeof FAILURES;

/**
 * Types with which a workflow ends, or refuses what an update asks of it; a workflow may end with those of activities
 * too. docs/failures.md explains each; a test holds the two equal.
 */
export const WORKFLOW_FAILURES = [
  'ApprovalRefused',
  'BudgetRefused',
  'ChoiceLost',
  'DecisionRefused',
  'NoTime',
  'RevisionRefused',
  'RunIncomplete',
] as const;

export type WorkflowFailureType = (typeof WORKFLOW_FAILURES)[number];
