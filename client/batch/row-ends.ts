import { type RowEnd } from '../../contracts/batch';
import { createBatches, type StoreView } from '../../store';

/**
 * The last that was noted of each row, by key, over all runs of a batch that the account has paid for. What another one
 * has is no result of this one: drawings of the sandbox never pass for a model's clips.
 */
export async function readEnds(
  { records }: Pick<StoreView, 'records'>,
  batchId: string,
  account: string,
): Promise<Map<string, RowEnd>> {
  const batches = createBatches(records);
  const ends = new Map<string, RowEnd>();
  for (const run of await batches.runs(batchId)) {
    if ((await batches.run(batchId, run))?.account !== account) continue;
    for await (const noted of endsOfRun({ records }, batchId, run, 0)) for (const end of noted) ends.set(end.key, end);
  }
  return ends;
}

/** The accounts that have paid for runs of a batch. */
export async function accountsOf(
  { records }: Pick<StoreView, 'records'>,
  batchId: string,
): Promise<ReadonlySet<string>> {
  const batches = createBatches(records);
  const accounts = new Set<string>();
  for (const run of await batches.runs(batchId)) {
    const begun = await batches.run(batchId, run);
    if (begun !== undefined) accounts.add(begun.account);
  }
  return accounts;
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
