/**
 * All types of ApplicationFailure that activities throw. docs/failures.md explains each; a test compares the two.
 *
 * After a `retried` failure, Temporal's retry policy runs the activity again. Other failures end the activity, and the
 * workflow decides.
 */
export const FAILURES = {
  /** The task has not ended; the next attempt runs when the next read is due. Benign. */
  TaskPending: { retried: true },
  /** A read of the task's result was refused or not answered, or its answer cannot be used. */
  GatewayUnreadable: { retried: true },
  /** 429 on a submit: the task was surely not accepted. The next attempt waits as long as the gateway asks for. */
  GatewayThrottled: { retried: true },
  /** The gateway is down, or submits still wait after an outage; the task was surely not accepted. */
  GatewayDown: { retried: true },
  /** The production or batch is paused, or was interrupted and not resumed; or the account's due runs are held. */
  ProductionHeld: { retried: true },
  /** The production is a row that began after its batch was paused or interrupted. */
  BatchHeld: { retried: true },
  /**
   * 401 or 403 on a submit: the key is refused, and all submits of the account wait. Benign, since each worker reports
   * the refused key once by itself.
   */
  KeyRefused: { retried: true },
  /** Another attempt has sent the take and may still get an answer, or too many execute calls are open. Benign. */
  AnswerAwaited: { retried: true },
  /** The account's arbiter cannot be asked for a lease; nothing is sent. */
  ArbiterUnreachable: { retried: true },
  /** Another workflow began the run of the same scheduled time, and the run has not ended. Benign. */
  RunUnderWay: { retried: true },
  /** Temporal does not answer whether a schedule is paused, or whether a run has ended; no run begins. */
  ScheduleUnreachable: { retried: true },
  /** The worker stalled right before it sent, or Temporal did not confirm its attempt; nothing is sent. */
  WorkerStalled: { retried: true },
  /** The ledger cannot be written or read; nothing more is sent. A take that was just sent may become unclear. */
  LedgerUnavailable: { retried: true },
  /** The ledger lacks a take that was sent, or Temporal cannot say which take was sent last; nothing is sent. */
  StaleLedger: { retried: true },
  /** The ledger and the workflow disagree about the take, or the task belongs to another take by now. */
  TakeMismatch: { retried: false },
  /** The download is incomplete, or its contents are unusable. The next attempt reads the output's address again. */
  DownloadInterrupted: { retried: true },
  /** The store cannot be used, for example because the disk is full or nearly full. */
  StoreUnavailable: { retried: true },
  /** Repeated attempts got no usable output, for example an HTML page in place of a clip. */
  OutputUnusable: { retried: false },
  /** The output is valid, but not of the kind that the model was declared to make. */
  OutputOfOtherKind: { retried: false },
  /** Dailies refuses to read from the output's address. */
  AddressRefused: { retried: false },
  /** ffmpeg failed or crashed. */
  MediaFailed: { retried: true },
  /** ffmpeg refused the bytes too many times. */
  MediaUnusable: { retried: false },
  /** This worker has no ffmpeg that can do the work. */
  FfmpegMissing: { retried: false },
  /** A file or record that the activity needs is not in this store. */
  AssetMissing: { retried: false },
  /** A text that another shot wrote is empty, or longer than its parameter allows. */
  TextNotSendable: { retried: false },
  /** A row's id belongs to another batch, or to a production outside batches. */
  RowRefused: { retried: false },
  /** The id of a scheduled run belongs to something else or to another account, or the run's record is unreadable. */
  RunRefused: { retried: false },
  /** The receiver did not answer with success; the notice is posted again. */
  HookFailed: { retried: true },
  /** The worker has no secret to sign notices with; no notice is sent. */
  NotifySecretMissing: { retried: true },
  /** The receiver wants no more notices, or Dailies does not post to its address. */
  HookRefused: { retried: false },
  /** The configuration allows no way to send the file. */
  FileNotSendable: { retried: false },
} as const satisfies Record<string, { readonly retried: boolean }>;

export type FailureType = keyof typeof FAILURES;

/**
 * Failure types of workflows and of refused updates. A workflow may also end with a failure type of an activity.
 *
 * docs/failures.md explains each; a test compares the two.
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
