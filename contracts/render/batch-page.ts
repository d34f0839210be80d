import type { AssetRef } from '../asset';
import type { RowsByModel } from './batch-time';
import type { PlannedShot, ProductionPlan } from './plan';
import type { RenderBasis } from './render-basis';

/** A batch's rows as the store keeps them, in pages. */

/** Maximum number of rows per page. A workflow gets a page as one payload. */
export const ROWS_PER_PAGE = 200;

/** The fields of a row's shot that the row's workflow needs. */
export type RowShot = Pick<
  PlannedShot,
  'model' | 'output' | 'mode' | 'deadlineSeconds' | 'onUnclear' | 'retryFailed' | 'onFailure'
>;

/** The fields of a row's shot that the fallback changes. The whole shot is in `BatchPage.lowered`. */
export type LoweredRowShot = Pick<RowShot, 'model' | 'mode' | 'deadlineSeconds'>;

interface AnyRow {
  readonly key: string;
  /** Hash of the row's request. */
  readonly digest: string;
}

/** A single task. Its shot in the page's frozen production has the key as its id. */
export interface GenerationRow extends AnyRow {
  readonly kind: 'generation';
  readonly shot: RowShot;
  /** Absent if the file has no fallback, or if the fallback changes nothing for this row. */
  readonly fallback?: LoweredRowShot;
}

export interface ProductionRow extends AnyRow {
  readonly kind: 'production';
  readonly productionId: string;
  readonly production: AssetRef;
  readonly plan: ProductionPlan;
  readonly basis: RenderBasis;
}

export type BatchRow = GenerationRow | ProductionRow;

/** Fields that a page keeps beside a row. Workflows do not get them. */
interface BesideRow {
  /** Whether the run leaves the row out, for example because an earlier run completed it with the same digest. */
  readonly isDone: boolean;
}

/** A row as stored in its page. */
export type PageRow = BatchRow & BesideRow;

/** A row as its workflow gets it. The type allows no field of `BesideRow`, so that none enters a history. */
type OpenRow = BatchRow & { readonly [Name in keyof BesideRow]?: never };

/** A page of rows as stored. */
export interface BatchPage {
  /** Frozen production with the requests of the page's generations. Its id is the batch's. Null without generations. */
  readonly frozen: AssetRef | null;
  /** Frozen production with the requests that the fallback has changed. Absent if it changes none. */
  readonly lowered?: AssetRef;
  readonly rows: readonly PageRow[];
}

/** All pages of a batch, in the file's order. */
export interface BatchIndex {
  readonly batch: string;
  readonly title: string;
  /** Hash of all keys and digests, independent of their order. Equal if two batches request the same rows. */
  readonly content: string;
  readonly rows: number;
  /** Number of rows that this run renders. */
  readonly open: number;
  readonly pages: readonly AssetRef[];
  /** Number of open single tasks by model. Older versions wrote it only for batches with `readyBy`. */
  readonly openByModel?: RowsByModel;
}

/** The rows of a page that this run renders. */
export interface OpenRows {
  readonly frozen: AssetRef | null;
  readonly lowered?: AssetRef;
  readonly rows: readonly OpenRow[];
}

/** The rows of a page that this run renders, without the fields of `BesideRow`. */
export function openRowsOf({ rows, ...frozen }: BatchPage): OpenRows {
  return { ...frozen, rows: rows.flatMap(({ isDone, ...row }) => (isDone ? [] : [row])) };
}
