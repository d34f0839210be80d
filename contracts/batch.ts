import type { TaskInput } from './activities';
import type { Priority } from './arbiter';
import type { AssetRef } from './asset';
import type { BatchReadyBy, BatchReadyByStatus, CarriedReadyBy, RowsByModel, TimedReadyBy } from './batch-time';
import type { ParkedFor } from './decision';
import type { NotifyTarget } from './notice';
import type { PlannedShot, ProductionPlan } from './plan';
import type { RenderBasis } from './render-basis';

/**
 * A batch as its workflow carries it: ids, bounds and references. The rows themselves lie in the store, in pages.
 * docs/decisions/0018-batches.md has the reasons.
 */

/** Rows under way at once where nobody names a number: as many as a production has shots under way. */
export const DEFAULT_PARALLEL = 16;

/** Each row under way is a few events of the batch's history, and a workflow of its own at the server. */
export const MAX_PARALLEL = 300;

/** Rows of one page: their plan is one payload, and their requests are one asset. */
export const ROWS_PER_PAGE = 200;

/** A batch that leaves so many rows to people has another trouble than those rows, and begins no more of them. */
export const MOST_PARKED = 100;

/** What a row's workflow needs of its shot. */
export type RowShot = Pick<
  PlannedShot,
  'model' | 'output' | 'mode' | 'deadlineSeconds' | 'onUnclear' | 'retryFailed' | 'onFailure'
>;

/** What time running short leaves of a row: it is the shot of the same key in the page's lowered production. */
export type LoweredRowShot = Pick<RowShot, 'model' | 'mode' | 'deadlineSeconds'>;

interface AnyRow {
  readonly key: string;
  /** Names what the row asks for: a row of another digest is another wish. */
  readonly digest: string;
}

/** One task. It is a shot of the page's frozen production, with the key as its id. */
export interface GenerationRow extends AnyRow {
  readonly kind: 'generation';
  readonly shot: RowShot;
  /** Absent where the batch's file names no fallback, or it makes no difference. */
  readonly fallback?: LoweredRowShot;
}

/** A production of its own. */
export interface ProductionRow extends AnyRow {
  readonly kind: 'production';
  readonly productionId: string;
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
  readonly basis: RenderBasis;
}

export type BatchRow = GenerationRow | ProductionRow;

/** A page of rows as it lies in the store. */
export interface BatchPage {
  /** What the generations among the rows ask for, as a frozen production under the batch's id; null where there are none. */
  readonly frozen: AssetRef | null;
  /** Those that have a fallback, as that makes them, as another frozen production. Absent where none has. */
  readonly lowered?: AssetRef;
  /** `isDone`: an earlier run has completed the row as it is. */
  readonly rows: readonly (BatchRow & { readonly isDone: boolean })[];
}

/** All pages of a batch, in the order of its file. */
export interface BatchIndex {
  readonly batch: string;
  readonly title: string;
  /** Hash of all keys and digests, whatever their order: equal where the same is asked for. */
  readonly content: string;
  readonly rows: number;
  /** Rows that are rendered by this run. */
  readonly open: number;
  readonly pages: readonly AssetRef[];
  /** Those of them that are single tasks, by model. Absent where the batch is ready when it is. */
  readonly openByModel?: RowsByModel;
}

/** The rows of a page that are to be rendered. */
export interface OpenRows {
  readonly frozen: AssetRef | null;
  readonly lowered?: AssetRef;
  readonly rows: readonly BatchRow[];
}

/** How a row stands when it takes no place in the window any more. */
export const ROW_STATES = ['completed', 'failed', 'skipped', 'cancelled', 'parked'] as const;
export type RowState = (typeof ROW_STATES)[number];

/** What became of a row. */
export interface RowEnd {
  readonly key: string;
  readonly digest: string;
  readonly state: RowState;
  readonly reason: string | null;
  /** Null unless it is parked by the gateway's or the ledger's word; a production that waits for people has shots that do. */
  readonly parkedFor: ParkedFor | null;
  /** Its take, where it is a generation. */
  readonly take: number | null;
  readonly taskId: string | null;
  /** What the gateway charged for that take, where it said so. */
  readonly credits: number | null;
  /** The take's output, or the production's film. */
  readonly asset: AssetRef | null;
  /** Present where it was rendered by the fallback, or where shots of it were. */
  readonly fallback?: true;
  /** ISO 8601, by the workflow's clock. */
  readonly at: string;
}

export type RowCounts = Readonly<Record<RowState, number>>;

export type BatchState = 'running' | 'completed' | 'incomplete' | 'cancelled';

/** By what rules the rows of a run go. */
export interface BatchRules {
  /** Most rows under way at once. */
  readonly parallel: number;
  /** Null: failures stop nothing. */
  readonly stopAfterFailures: number | null;
  /** Whose turn comes first at the gateway, where limits are in force. Absent: batch. */
  readonly priority?: Priority;
  /** Absent where nobody is to be told. */
  readonly notify?: NotifyTarget;
  /** Absent where it is ready when it is. */
  readonly readyBy?: BatchReadyBy;
}

/** Those that whoever begins a run may name in place of the file's. */
export type BatchBounds = Omit<BatchRules, 'notify' | 'readyBy'>;

export interface BatchInput extends BatchRules {
  readonly batchId: string;
  readonly storeId: string;
  /** Counts the batch's runs from 1. */
  readonly run: number;
  readonly index: AssetRef;
  readonly pages: number;
  readonly rows: number;
  readonly open: number;
  /** Names this run; a take that failed is paid for again only in another one. */
  readonly renderId: string;
  /** Whether the server knows our search attributes. */
  readonly searchable: boolean;
  /** With the rows that are to be rendered. */
  readonly readyBy?: TimedReadyBy & { readonly openByModel: RowsByModel };
  /** Present where it goes on from an earlier history of the same run. */
  readonly carried?: CarriedBatch;
}

/** Where a row is to be found. */
export interface RowPlace {
  readonly key: string;
  readonly digest: string;
  readonly page: number;
  /** Whether it is a production, and so has the workflow of one. */
  readonly isProduction: boolean;
  /** An earlier run of the batch began it, and it has waited for people since. */
  readonly isEarlier?: true;
  /** Its model where it was begun as written, and may be asked yet to go by the fallback. */
  readonly mayFallBackFrom?: string;
}

/** What a batch takes along into its next history: ids, so that nothing that is told twice counts twice. */
export interface CarriedBatch {
  readonly startedAt: string;
  /** The next row to begin: its page, and how many rows of that were begun. */
  readonly page: number;
  readonly begun: number;
  readonly underWay: readonly RowPlace[];
  readonly parked: readonly (RowPlace & { readonly end: RowEnd })[];
  readonly counts: RowCounts;
  /** Pages of results that are noted. */
  readonly noted: number;
  readonly stopped: string | null;
  /** What the rows were charged that have ended; absent where an older batch went on. */
  readonly credits?: number;
  /** Whether it was told that rows wait. */
  readonly toldWaits?: boolean;
  /** It was cancelled while one history went over into the next. */
  readonly isCancelled?: true;
  /** Present where it is to be ready by a time. */
  readonly deadline?: CarriedReadyBy;
}

/** What the status query of a batch answers. */
export interface BatchStatus {
  readonly batch: string;
  readonly run: number;
  readonly state: BatchState;
  /** Why no further rows are begun, or were. */
  readonly reason: string | null;
  readonly rows: number;
  /** Of this run; rows that an earlier run completed are in none of them. */
  readonly open: number;
  readonly counts: RowCounts;
  readonly underWay: readonly string[];
  /** ISO 8601, by the workflow's clock. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Absent where it is ready when it is. */
  readonly readyBy?: BatchReadyByStatus;
}

/** Whether a batch that has ended lacks nothing but what people have to decide on. */
export function waitsAlone({ state, open, counts: { completed, parked } }: BatchStatus): boolean {
  return state === 'incomplete' && parked > 0 && completed + parked === open;
}

/** What a row tells its batch. */
export interface RowNews {
  readonly key: string;
  /** Of what it asks for. */
  readonly digest: string;
  readonly runId: string;
  /** Counts what this run has told: of two, the one with the higher number holds. */
  readonly news: number;
  /** Null while it is under way. */
  readonly end: RowOutcome | null;
}

/** What a row itself knows of its end. */
export type RowOutcome = Omit<RowEnd, 'digest' | 'key' | 'at'>;

/** Asks a row that may outlive the batch's history to tell its end by a signal, and now where it stands. */
export interface ReportRequest {
  /** Workflow id of the batch. */
  readonly to: string;
  /** What the batch wants of the row: one that was begun for something else says so at once. */
  readonly digest: string;
  /** The batch's run. What waits for credits tries again when a later run asks. */
  readonly renderId: string;
}

/** Activities that read a batch's rows and note what became of them. */
export interface BatchActivities {
  /** The rows of a page that are to be rendered. Waits while the batch is held. */
  readonly openRows: (input: {
    readonly batchId: string;
    readonly index: AssetRef;
    readonly page: number;
  }) => Promise<OpenRows>;
  /** Which of a task's two forms the ledger has a take of that may be paid for, so that no other is to be sent; null for neither. */
  readonly paidForm: (input: {
    readonly task: TaskInput;
    /** The production that has the task by its fallback. */
    readonly lowered: AssetRef;
  }) => Promise<'written' | 'fallback' | null>;
  /**
   * Notes that a row's production is about to begin, for those who look while no Temporal server runs.
   *
   * @returns false, with nothing noted, where another render of it may be under way: it is asked first.
   */
  readonly beginProduction: (input: {
    readonly batchId: string;
    readonly row: ProductionRow;
    readonly renderId: string;
    /** Nothing of it is under way. */
    readonly isGone: boolean;
  }) => Promise<boolean>;
  /** Notes ends of rows, as the run's page of that number. */
  readonly noteRows: (input: {
    readonly batchId: string;
    readonly run: number;
    readonly page: number;
    readonly ends: readonly RowEnd[];
  }) => Promise<void>;
  /** Notes how the run ended. */
  readonly archiveBatch: (input: { readonly status: BatchStatus }) => Promise<void>;
}
