import type { BatchState, RowCounts } from './batch';
import type { BudgetFigures } from './budget';
import type { ParkedFor } from './decision';
import type { ProductionState, ShotState } from './manifest';

/** What happened, as a notice names it. */
export const NOTICE_TYPES = [
  'production.completed',
  /** Ended with shots missing, or without its film. */
  'production.incomplete',
  'production.cancelled',
  /** Shots are parked and wait for a person. */
  'production.parked',
  /** Shots wait for an approval. */
  'production.review',
  /** Shots wait for more budget. */
  'production.over-budget',
  /** Rows are parked and wait for a person; told once a run. */
  'batch.parked',
  'batch.done',
] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];

/** Where notices go, as workflows carry it: the address itself is in the store. */
export interface NotifyTarget {
  /** Names the address. */
  readonly target: string;
  /** What is told. Absent: everything. */
  readonly on?: readonly NoticeType[];
}

/** Of what a notice tells: a production or a batch, by its id, and which of its runs. */
export interface NoticeSubject {
  readonly kind: 'production' | 'batch';
  readonly id: string;
  readonly renderId: string;
}

/** One event, as it is told. Small; holds no prompts, no addresses, no keys. */
export interface Notice {
  /** The same for the same event, whatever repeats it. */
  readonly id: string;
  readonly type: NoticeType;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  /** As JSON: `ProductionNotice` where it is about a production, else `BatchNotice`. */
  readonly data: object;
}

/** What the workflow of one notice is given. */
export interface NoticeInput {
  readonly notice: Notice;
  readonly subject: NoticeSubject;
  readonly target: string;
}

export type NoticeOutcome =
  { readonly state: 'delivered' } | { readonly state: 'undelivered'; readonly reason: string };

/** A shot that waits for somebody, as a notice tells it. */
export interface ToldWait {
  readonly shot: string;
  readonly for: ParkedFor | 'review';
  /** ISO 8601. */
  readonly since: string;
  /** What to type so that it goes on. */
  readonly command: string;
}

export type WaitType = Extract<NoticeType, 'production.parked' | 'production.review' | 'production.over-budget'>;

/** A shot that waits for somebody, as its production keeps it. */
export interface Wait extends ToldWait {
  readonly type: WaitType;
  /** The newest take of the shot; 0 where it has none. */
  readonly take: number;
}

/** A row that waits for somebody, as a notice tells it. */
export interface ToldRow {
  readonly row: string;
  /** Null for a production that waits: its status says for what. */
  readonly for: ParkedFor | null;
  /** ISO 8601. */
  readonly since: string;
  /** What to type so that it goes on, or to see what that is. */
  readonly command: string;
}

/** What a notice about a batch holds. */
export interface BatchNotice {
  readonly batch: string;
  /** Counts the batch's runs from 1. */
  readonly run: number;
  readonly state: BatchState;
  readonly rows: number;
  /** Rows of this run; all others were completed before. */
  readonly open: number;
  /** How this run's rows stand. `pending`: not begun. */
  readonly counts: RowCounts & { readonly underWay: number; readonly pending: number };
  /** By the gateway's figures, for the rows of this run that have ended. */
  readonly creditsCharged: number;
  /** Rows that wait, at most 20 of them. */
  readonly waiting: readonly ToldRow[];
  /** How many those are in all. */
  readonly waitingCount: number;
  /** What to type to see more. */
  readonly command: string;
}

/** What a notice about a production holds. */
export interface ProductionNotice {
  readonly production: string;
  readonly title: string;
  readonly state: ProductionState;
  /** How many shots there are in each state. */
  readonly shots: { readonly [State in ShotState]?: number };
  /** By the gateway's figures, for the takes that this render stands on or has made. */
  readonly creditsCharged: number;
  readonly budget: Pick<BudgetFigures, 'credits' | 'spent' | 'reserved'> | null;
  /** Those that the notice is about, at most 20 of them. */
  readonly waiting: readonly ToldWait[];
  /** How many those are in all. */
  readonly waitingCount: number;
  readonly film: { readonly sha256: string; readonly sizeBytes: number } | null;
  /** What to type to see more. */
  readonly command: string;
}
