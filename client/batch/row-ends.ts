import { type RowEnd } from '../../contracts/render/batch';
import { type StoreView } from '../../store';

/**
 * The last recorded end of each row, by key, over all runs that the account paid for. Results of other accounts do not
 * count: a clip of the sandbox gateway must never pass for a model's clip.
 */
export async function readEnds(
  { batches }: Pick<StoreView, 'batches'>,
  batchId: string,
  account: string,
): Promise<Map<string, RowEnd>> {
  const ends = new Map<string, RowEnd>();
  for (const run of await batches.runs(batchId)) {
    if ((await batches.run(batchId, run))?.account !== account) continue;
    for await (const noted of endsOfRun({ batches }, batchId, run, 0)) for (const end of noted) ends.set(end.key, end);
  }
  return ends;
}

/** The accounts that paid for runs of a batch. */
export async function accountsOf(
  { batches }: Pick<StoreView, 'batches'>,
  batchId: string,
): Promise<ReadonlySet<string>> {
  const accounts = new Set<string>();
  for (const run of await batches.runs(batchId)) {
    const begun = await batches.run(batchId, run);
    if (begun !== undefined) accounts.add(begun.account);
  }
  return accounts;
}

/** The recorded ends of a run's rows, page by page, without the first `known` pages. */
export async function* endsOfRun(
  { batches }: Pick<StoreView, 'batches'>,
  batchId: string,
  run: number,
  known: number,
): AsyncGenerator<readonly RowEnd[]> {
  for (let page = known + 1; ; page += 1) {
    const noted = await batches.results(batchId, run, page);
    if (noted === undefined) return;
    yield noted;
  }
}
