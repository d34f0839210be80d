import { type BatchIndex, type BatchPage, type BatchRow } from '../../contracts/render/batch-page';
import { withReadyInstant } from '../../contracts/render/plan';
import { type BegunBatch, readBatchIndex, readBatchPage, type Store } from '../../store';
import { type localNow } from '../records/local-now';
import { currentEnd } from './current-end';
import { readEnds } from './row-ends';
import { isComplete } from './row-output';

/** The rows of a batch to render again. `missing`: all rows without a result, except skipped ones. */
export type Again = 'failed' | 'missing';

/** Creates a function that tells whether a row is to be rendered again. */
export async function askedAgain(
  store: Store,
  begun: BegunBatch,
  batchId: string,
  again: Again,
): Promise<(row: BatchRow) => Promise<boolean>> {
  const ends = await readEnds(store, batchId, begun.account);
  return async (row) => {
    const noted = ends.get(row.key);
    if (noted?.digest !== row.digest) return again === 'missing';
    const end = await currentEnd(store, begun, batchId, row, noted);
    if (again === 'failed') return end.state === 'failed';
    return end.state !== 'skipped' && !(await isComplete(store, { batchId, account: begun.account }, row, end));
  };
}

/**
 * Makes a new index of the frozen rows of a batch's last run, in which only the requested rows are open. Puts the new
 * pages into the store.
 *
 * @param from the time and time zone from which the `readyBy` of a row's production is computed.
 */
export async function rowsAgain(
  store: Store,
  begun: BegunBatch,
  batchId: string,
  { again, from: localTime }: { readonly again: Again; readonly from: ReturnType<typeof localNow> },
): Promise<BatchIndex> {
  const index = await readBatchIndex(store.assets, begun.index);
  const isAsked = await askedAgain(store, begun, batchId, again);
  const pages = [];
  const openByModel: Record<string, number> = {};
  let open = 0;
  for (const ref of index.pages) {
    const page = await readBatchPage(store.assets, ref);
    const rows = [];
    for (const row of page.rows) {
      const isDone = !(await isAsked(row));
      rows.push({
        ...(row.kind === 'production' ? { ...row, plan: withReadyInstant(row.plan, localTime) } : row),
        isDone,
      });
      if (isDone) continue;
      open += 1;
      if (row.kind === 'generation') openByModel[row.shot.model] = (openByModel[row.shot.model] ?? 0) + 1;
    }
    pages.push(await store.putJson({ ...page, rows } satisfies BatchPage));
  }
  return { ...index, open, pages, openByModel };
}
