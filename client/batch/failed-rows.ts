import { type BatchIndex, type BatchPage } from '../../contracts/batch';
import { withReadyInstant } from '../../contracts/ready-by';
import { readBatchPage, type Store } from '../../store';
import { type fromNow } from '../from-now';
import { readEnds } from './row-ends';

/** The same rows, of which only those are open that have failed as they are. */
export async function failedOnly(
  store: Store,
  batchId: string,
  index: BatchIndex,
  from: ReturnType<typeof fromNow>,
): Promise<BatchIndex> {
  const ends = await readEnds(store, batchId);
  const pages = [];
  const openByModel: Record<string, number> = {};
  let open = 0;
  for (const ref of index.pages) {
    const page = await readBatchPage(store.assets, ref);
    const rows = page.rows.map((row) => {
      const end = ends.get(row.key);
      const isDone = !(end?.state === 'failed' && end.digest === row.digest);
      return row.kind === 'production'
        ? { ...row, isDone, plan: withReadyInstant(row.plan, from) }
        : { ...row, isDone };
    });
    for (const row of rows) {
      if (row.isDone) continue;
      open += 1;
      if (row.kind === 'generation') openByModel[row.shot.model] = (openByModel[row.shot.model] ?? 0) + 1;
    }
    pages.push(await store.putJson({ ...page, rows } satisfies BatchPage));
  }
  return { ...index, open, pages, ...(index.openByModel === undefined ? {} : { openByModel }) };
}
