import { type AssetRef } from '../contracts/asset';
import { type BatchActivities, type ProductionRow } from '../contracts/batch';
import { createBatches, outlastPrunes, readBatchIndex, readBatchPage } from '../store';
import { failure } from './fail';
import { holdBack } from './hold-back';
import { createPaidForm, type PaidFormDependencies } from './paid-form';
import { storeTrouble } from './translate-error';
import { withHeartbeat } from './with-heartbeat';

/**
 * What a batch reads from the store and notes there. Nothing of it costs anything, and all of it may run again.
 *
 * @throws ProductionHeld, StoreUnavailable, LedgerUnavailable (retried), AssetMissing (final).
 */
export function createBatchActivities({ account, store, productions }: PaidFormDependencies): BatchActivities {
  const paidForm = createPaidForm({ account, store, productions });
  const batches = createBatches(store.records);
  const storing = <T>(work: () => Promise<T>): Promise<T> =>
    withHeartbeat(() =>
      work().catch((error: unknown) => {
        throw storeTrouble(error);
      }),
    );
  const checkThere = async (asset: AssetRef, what: string): Promise<void> => {
    if (await store.assets.has(asset)) return;
    throw failure('AssetMissing', `${what}, asset ${asset.sha256}, is not in the store ${store.folder}`);
  };

  return {
    openRows: ({ batchId, index, page: number }) =>
      storing(async () => {
        await holdBack(store, batchId);
        await checkThere(index, `the index of batch "${batchId}"`);
        const page = (await readBatchIndex(store.assets, index)).pages[number];
        if (page === undefined) return { frozen: null, rows: [] };
        await checkThere(page, `page ${number + 1} of batch "${batchId}"`);
        const { rows, ...frozen } = await readBatchPage(store.assets, page);
        return { ...frozen, rows: rows.flatMap(({ isDone, ...row }) => (isDone ? [] : [row])) };
      }),
    paidForm: (input) => storing(() => paidForm(input)),
    beginProduction: ({ batchId, row, renderId }) =>
      storing(async () => {
        await store.records.replace(`productions/${row.productionId}/render`, {
          ...begunOf(row),
          renderId,
          account,
          batch: batchId,
          at: new Date().toISOString(),
        });
        // A prune that begins from here on sees that this one is open.
        await outlastPrunes(store.records);
      }),
    noteRows: ({ batchId, run, page, ends }) => storing(() => batches.noteResults(batchId, run, page, ends)),
    archiveBatch: ({ status }) => storing(() => batches.end(status)),
  };
}

/** MAINTENANCE: keep in step with `noteBegun` in client/note-begun.ts, which notes the same of other renders. */
function begunOf({ production, plan: { shots }, basis }: ProductionRow): object {
  return {
    production,
    deadlines: Object.fromEntries(shots.map(({ id, deadlineSeconds }) => [id, deadlineSeconds])),
    policies: Object.fromEntries(
      shots.map(({ id, onUnclear, retryFailed, onFailure }) => [id, { onUnclear, retryFailed, onFailure }]),
    ),
    ...basis,
  };
}
