import type { BatchState, RowCounts } from './states';
import type { BudgetFigures } from './money/budget';
import type { ParkedFor } from './render/decision';
import type { ProductionState, ShotState } from './states';

export const NOTICE_TYPES = [
  'production.completed',
  /** Ended with shots missing, or without its film. */
  'production.incomplete',
  'production.cancelled',
  /** Shots are parked and wait for a person. */
  'production.parked',
  'production.review',
  /** Shots wait for more budget. */
  'production.over-budget',
  /** Rows are parked and wait for a person. Sent once per run. */
  'batch.parked',
  'batch.done',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** Names the receiver of notices. The receiver's address is in the store, not in workflows. */
export interface NotifyTarget {
  /** Name of the address. */
  readonly target: string;
  /** The events to report. Absent: all. */
  readonly on?: readonly NoticeType[];
}

/** The run of a production or batch that a notice is about. */
export interface NoticeSubject {
  readonly kind: 'production' | 'batch';
  readonly id: string;
  readonly renderId: string;
}

/** One event. Contains no prompts, addresses or keys. */
export interface Notice {
  /** All deliveries of the same event have the same id. */
  readonly id: string;
  readonly type: NoticeType;
  /** When the notice was made, ISO 8601. */
  readonly timestamp: string;
  /** `ProductionNotice` if the notice is about a production, else `BatchNotice`. */
  readonly data: object;
}

export interface NoticeInput {
  readonly notice: Notice;
  readonly subject: NoticeSubject;
  readonly target: string;
}

export type NoticeOutcome =
  { readonly state: 'delivered' } | { readonly state: 'undelivered'; readonly reason: string };

export interface ToldWait {
  readonly shot: string;
  readonly for: ParkedFor | 'review';
  /** ISO 8601. */
  readonly since: string;
  /** The command that continues the shot. */
  readonly command: string;
}

export type WaitType = Extract<NoticeType, 'production.parked' | 'production.review' | 'production.over-budget'>;

/** A waiting shot, as the production workflow keeps it. */
export interface Wait extends ToldWait {
  readonly type: WaitType;
  /** Number of the shot's newest take; 0 if it has none. */
  readonly take: number;
}

export interface ToldRow {
  readonly row: string;
  /** Why the row is parked (see `RowEnd`). Null if it is a production whose shot is in review. */
  readonly for: ParkedFor | null;
  /** ISO 8601. */
  readonly since: string;
  /** The command that continues the row, or that shows how to continue it. */
  readonly command: string;
}

export interface BatchNotice {
  readonly batch: string;
  /** Number of the batch's run, from 1. */
  readonly run: number;
  readonly state: BatchState;
  readonly rows: number;
  /** Number of rows that this run renders. */
  readonly open: number;
  /** Number of this run's rows by state. `pending`: not started. */
  readonly counts: RowCounts & { readonly underWay: number; readonly pending: number };
  /** Credits that the gateway reported for rows, and earlier versions of changed rows, that ended in this run. */
  readonly creditsCharged: number;
  /** Waiting rows, at most 20. */
  readonly waiting: readonly ToldRow[];
  /** Number of all waiting rows. */
  readonly waitingCount: number;
  /** The command that shows more. */
  readonly command: string;
}

export interface ProductionNotice {
  readonly production: string;
  readonly title: string;
  readonly state: ProductionState;
  readonly shots: { readonly [State in ShotState]?: number };
  /** Credits that the gateway reported for the takes that this render uses or has made. */
  readonly creditsCharged: number;
  readonly budget: Pick<BudgetFigures, 'credits' | 'spent' | 'reserved'> | null;
  /** Shots that the notice is about, at most 20. */
  readonly waiting: readonly ToldWait[];
  /** Number of all shots that the notice is about. */
  readonly waitingCount: number;
  readonly film: { readonly sha256: string; readonly sizeBytes: number } | null;
  /** The command that shows more. */
  readonly command: string;
}
