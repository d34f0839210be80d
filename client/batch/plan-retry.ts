import { type BatchPage, type BatchRow } from '../../contracts/render/batch-page';
import { type FrozenShot } from '../../contracts/render/frozen';
import { type QuoteSum } from '../../contracts/money/quote';
import {
  type BegunBatch,
  addSums,
  type Quotes,
  readBatchIndex,
  readBatchPage,
  type Store,
  sumQuotes,
} from '../../store';
import { readFrozen } from '../records/read-frozen';
import { MOST_NAMED_ROWS, rowQuote } from './row-quote';
import { type Again, askedAgain } from './rows-again';

/** The plan to render rows of a batch's last run again, with their price. */
export interface RetryPlan {
  readonly batch: string;
  /** The run whose rows are rendered again. */
  readonly run: number;
  readonly rows: number;
  /** Number of rows to render again. */
  readonly open: number;
  /** Keys of the first rows to render again, in the order of the file. */
  readonly first: readonly string[];
  /**
   * The highest price of the rows to render again. It includes takes that are only reused or collected, although
   * these cost nothing. It does not include automatic retries of tasks that fail again.
   */
  readonly quote: QuoteSum;
}

/** Plans to render rows of a run again. Sends and stores nothing. */
export async function planRetry(
  store: Store,
  begun: BegunBatch,
  batchId: string,
  { again, quotes }: { readonly again: Again; readonly quotes: Quotes },
): Promise<RetryPlan> {
  const { rows, pages } = await readBatchIndex(store.assets, begun.index);
  const isAsked = await askedAgain(store, begun, batchId, again);
  const first: string[] = [];
  let [open, quote] = [0, sumQuotes([])];
  for (const ref of pages) {
    const page = await readBatchPage(store.assets, ref);
    const shotsOf = shotsIn(store, page);
    for (const row of page.rows) {
      if (!(await isAsked(row))) continue;
      open += 1;
      if (first.length < MOST_NAMED_ROWS) first.push(row.key);
      quote = addSums(quote, await rowQuote(quotes, row, await shotsOf(row)));
    }
  }
  return { batch: batchId, run: begun.run, rows, open, first, quote };
}

/** Returns a function that reads a row's shots. A page's single tasks share one frozen production, read only once. */
export function shotsIn(
  { assets }: Pick<Store, 'assets'>,
  { frozen }: BatchPage,
): (row: BatchRow) => Promise<readonly FrozenShot[]> {
  let shared: Promise<ReadonlyMap<string, FrozenShot>> | undefined;
  const tasks = async (): Promise<ReadonlyMap<string, FrozenShot>> =>
    new Map(frozen === null ? [] : (await readFrozen(assets, frozen)).shots.map((shot) => [shot.id, shot]));
  return async (row) => {
    if (row.kind === 'production') return (await readFrozen(assets, row.production)).shots;
    shared ??= tasks();
    const shot = (await shared).get(row.key);
    return shot === undefined ? [] : [shot];
  };
}
