import type { Searchable } from '../workflows';
import type { TaskInput } from '../activities';
import type { Priority } from '../gateway/arbiter';
import type { AssetRef } from '../asset';
import type { OpenRows, ProductionRow } from './batch-page';
import type { BatchReadyBy, BatchReadyByStatus, CarriedReadyBy, RowsByModel, TimedReadyBy } from './batch-time';
import type { ParkedFor } from './decision';
import type { NotifyTarget } from '../notice';
import type { BatchState, RowCounts, RowState } from '../states';

/**
 * The workflow of a batch carries ids, limits and references. The rows are in the store, in pages.
 *
 * See docs/decisions/0018-batches.md.
 */

/** Default of `parallel`; equal to `DEFAULT_MAX_IN_FLIGHT`, the default for shots. */
export const DEFAULT_PARALLEL = 16;

/** Maximum number of rows under way at once: each adds events to the batch's history, and has its own workflow. */
export const MAX_PARALLEL = 300;

/**
 * Number of parked rows at which a batch starts no more rows, since all of them probably wait for the same reason.
 * Rows with `isEarlier` do not count.
 */
export const MOST_PARKED = 100;

export interface RowEnd {
  readonly key: string;
  readonly digest: string;
  readonly state: RowState;
  readonly reason: string | null;
  /**
   * Why the row is parked. For a production, the reason of one waiting shot: one that lacks credits, else a failed one,
   * else an unclear one, else the first. Null if the row is not parked, or if that shot is in review.
   */
  readonly parkedFor: ParkedFor | null;
  /** Take number of a generation; null for a production, or if there is no take. */
  readonly take: number | null;
  readonly taskId: string | null;
  /**
   * Credits that the gateway reported for the take, or for all takes of a production so far. Null if it reported none,
   * or if the row's workflow has no outcome.
   */
  readonly credits: number | null;
  /** The take's output, or the production's film. */
  readonly asset: AssetRef | null;
  /** Present if the row, or any of its shots, used the fallback. Absent for a parked production. */
  readonly fallback?: true;
  /** ISO 8601, by the workflow's clock. */
  readonly at: string;
}

export interface BatchRules {
  /** Maximum number of rows under way at once. */
  readonly parallel: number;
  /** Number of failed rows, including rows parked for a failure, after which no more rows start; null for no limit. */
  readonly stopAfterFailures: number | null;
  /** Priority in the account's queue. Absent: `batch`. */
  readonly priority?: Priority;
  readonly notify?: NotifyTarget;
  readonly readyBy?: BatchReadyBy;
}

/** The rules that can be overridden when a run begins. */
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
  /** Names this run. A row that has failed is paid for again only in another run. */
  readonly renderId: string;
  readonly searchable: Searchable;
  /** `openByModel`: number of single tasks to render, by model. */
  readonly readyBy?: TimedReadyBy & { readonly openByModel: RowsByModel };
  /** State of an earlier history of the same run, if there was one. */
  readonly carried?: CarriedBatch;
}

/** A row that the batch tracks. */
export interface RowPlace {
  readonly key: string;
  readonly digest: string;
  readonly page: number;
  /** Whether the row is a production, and so has a production's workflow id. */
  readonly isProduction: boolean;
  /**
   * Present if an earlier run started the row. Removed when the row is parked in this run, or continues. While a row
   * with this mark is parked, it does not count towards the limits that stop this run.
   */
  readonly isEarlier?: true;
  /** The model, if the row was started as written and can still be asked to use the fallback. */
  readonly mayFallBackFrom?: string;
}

/**
 * State that a batch hands to its next history. Rows with a running workflow are listed by key, so that repeated news
 * about a row counts once.
 */
export interface CarriedBatch {
  readonly startedAt: string;
  /** The next row to start: its page, and the number of rows of that page that were started. */
  readonly page: number;
  readonly begun: number;
  readonly underWay: readonly RowPlace[];
  readonly parked: readonly (RowPlace & { readonly end: RowEnd })[];
  readonly counts: RowCounts;
  /** Number of result pages recorded. */
  readonly noted: number;
  readonly stopped: string | null;
  /** Credits charged for rows that have ended. Absent from older batches. */
  readonly credits?: number;
  /** Whether the notice about waiting rows was sent. */
  readonly toldWaits?: boolean;
  /** Present if the batch was cancelled while it continued as new. */
  readonly isCancelled?: true;
  readonly deadline?: CarriedReadyBy;
}

/** Answer to a batch's status query. */
export interface BatchStatus {
  readonly batch: string;
  readonly run: number;
  readonly state: BatchState;
  /** Why the run stopped starting rows; null if it did not. */
  readonly reason: string | null;
  readonly rows: number;
  /** Number of rows that this run renders. */
  readonly open: number;
  readonly counts: RowCounts;
  readonly underWay: readonly string[];
  /** ISO 8601, by the workflow's clock. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly readyBy?: BatchReadyByStatus;
}

/** Whether an ended batch lacks only rows that people have to decide on. */
export function waitsAlone({ state, open, counts: { completed, parked } }: BatchStatus): boolean {
  return state === 'incomplete' && parked > 0 && completed + parked === open;
}

/** News that a row sends to its batch. */
export interface RowNews {
  readonly key: string;
  /** Digest of the row's request. */
  readonly digest: string;
  /** The first run id of the row's workflow. */
  readonly runId: string;
  /** Number of this message among those of `runId`, from 1. The highest is the latest. */
  readonly news: number;
  /** Null if the row continues. */
  readonly end: RowOutcome | null;
  /** True if the row was parked after the batch's run first asked for a report, so that it counts for that run. */
  readonly isFresh?: true;
}

/** The part of a row's end that the row itself knows. */
export type RowOutcome = Omit<RowEnd, 'digest' | 'key' | 'at'>;

/**
 * Asks a row's workflow to signal the row's end to the workflow `to`. A row that is parked, or that has another digest,
 * sends its news at once.
 */
export interface ReportRequest {
  /** Workflow id of the batch. */
  readonly to: string;
  /** Digest of the request that the batch wants. */
  readonly digest: string;
  /** The batch's run. A single task that waits for credits tries again when a later run asks. */
  readonly renderId: string;
}

/** Activities that read a batch's rows and record their ends. */
export interface BatchActivities {
  /** Returns the rows of a page that this run renders. @throws ProductionHeld (retried) while the batch is on hold. */
  readonly openRows: (input: {
    readonly batchId: string;
    readonly index: AssetRef;
    readonly page: number;
  }) => Promise<OpenRows>;
  /**
   * Finds the form in which a task was sent or skipped before: as written, or as the fallback changes it. The other
   * form must not be sent, since it would cost again. Null if there is no such form, or if it has to be sent again.
   */
  readonly paidForm: (input: {
    readonly task: TaskInput;
    /** The frozen production that has the task as the fallback changes it. */
    readonly lowered: AssetRef;
  }) => Promise<'written' | 'fallback' | null>;
  /**
   * Records that a row's production is about to begin, so that the store shows it without a Temporal server.
   *
   * @returns false, and records nothing, if another render of the production may be under way. The batch then asks
   *   that render to report its end.
   * @throws RowRefused (final) if the id already names a batch, a row of another batch, or a production that is no row.
   */
  readonly beginProduction: (input: {
    readonly batchId: string;
    readonly row: ProductionRow;
    readonly renderId: string;
    /** True if no workflow of the production is under way; false if unknown. */
    readonly isGone: boolean;
  }) => Promise<boolean>;
  /** Records ends of rows as a numbered page of the run. */
  readonly noteRows: (input: {
    readonly batchId: string;
    readonly run: number;
    readonly page: number;
    readonly ends: readonly RowEnd[];
  }) => Promise<void>;
  /** Records how the run ended. */
  readonly archiveBatch: (input: { readonly status: BatchStatus }) => Promise<void>;
}
