import { type RowEnd } from '../../contracts/batch';
import { createBatches, type StoreView } from '../../store';

/** The last that was noted of each row, by key, over all runs of a batch. */
export async function readEnds({ records }: Pick<StoreView, 'records'>, batchId: string): Promise<Map<string, RowEnd>> {
  const ends = new Map<string, RowEnd>();
  for await (const noted of notedEnds({ records }, batchId)) for (const end of noted) ends.set(end.key, end);
  return ends;
}

/** All that was noted of a batch's rows, page by page, in the order in which it came about. */
async function* notedEnds({ records }: Pick<StoreView, 'records'>, batchId: string): AsyncGenerator<readonly RowEnd[]> {
  const batches = createBatches(records);
  for (const run of await batches.runs(batchId)) yield* endsOfRun({ records }, batchId, run, 0);
}

/** The results of one run behind those pages that are known already. */
export async function* endsOfRun(
  { records }: Pick<StoreView, 'records'>,
  batchId: string,
  run: number,
  known: number,
): AsyncGenerator<readonly RowEnd[]> {
  const batches = createBatches(records);
  for (let page = known + 1; ; page += 1) {
    const noted = await batches.results(batchId, run, page);
    if (noted === undefined) return;
    yield noted;
  }
}
