import { type BatchIndex } from '../../contracts/render/batch-page';
import { filesOf } from '../production-file';
import { readBatchIndex, readBatchPage, type Store } from '../../store';
import { readFrozen } from '../records/read-frozen';
import { accountsOf, readEnds } from './row-ends';

/**
 * Hashes of the files that the store's batches need: for each account the output of each row's last end, and the input
 * files of all rows of the last run.
 */
export async function batchAssets(store: Store): Promise<ReadonlySet<string>> {
  const { batches } = store;
  const needed = new Set<string>();
  for (const id of await batches.ids()) {
    const begun = await batches.begun(id);
    if (begun === undefined) continue;
    for (const account of await accountsOf(store, id)) {
      const ends = await readEnds(store, id, account);
      for (const { asset } of ends.values()) if (asset !== null) needed.add(asset.sha256);
    }
    if (!(await store.assets.has(begun.index))) continue;
    for await (const { sha256 } of filesOfRows(store, await readBatchIndex(store.assets, begun.index))) {
      needed.add(sha256);
    }
  }
  return needed;
}

/**
 * The files that a batch's rows name, page by page. A file that several rows name is yielded several times. Pages and
 * productions that the store has lost are skipped.
 */
export async function* filesOfRows(
  { assets }: Pick<Store, 'assets'>,
  { pages }: BatchIndex,
): AsyncGenerator<ReturnType<typeof filesOf>[number]> {
  for (const ref of pages) {
    if (!(await assets.has(ref))) continue;
    const { frozen, rows } = await readBatchPage(assets, ref);
    const productions = rows.flatMap((row) => (row.kind === 'production' ? [row.production] : []));
    for (const production of [...(frozen === null ? [] : [frozen]), ...productions]) {
      if (await assets.has(production)) yield* filesOf(await readFrozen(assets, production));
    }
  }
}
