import { type BatchActivities } from '../../contracts/render/batch';
import { openRowsOf } from '../../contracts/render/batch-page';
import { type Begun, begunOf, rowNameConflict, readBatchIndex, readBatchPage, type Store } from '../../store';
import { failure } from '../fail';
import { assertNotPaused } from '../pay/assert-not-paused';
import { createPaidForm, type PaidFormDependencies } from '../pay/paid-form';
import { checkThere } from '../stored-json';
import { storeTrouble } from '../translate-error';
import { withHeartbeat } from '../with-heartbeat';

/**
 * Makes the activities that read and record a batch in the store. They cost nothing and are safe to retry.
 *
 * @throws ProductionHeld, StoreUnavailable, LedgerUnavailable (retried), AssetMissing, RowRefused (final).
 */
export function createBatchActivities({ account, store, productions }: PaidFormDependencies): BatchActivities {
  const paidForm = createPaidForm({ account, store, productions });
  const { batches } = store;
  const storing = <T>(work: () => Promise<T>): Promise<T> =>
    withHeartbeat(() =>
      work().catch((error: unknown) => {
        throw storeTrouble(error);
      }),
    );
  const mayBeUnderWay = async (id: string, known: Begun | undefined, renderId: string): Promise<boolean> =>
    known !== undefined && known.renderId !== renderId && (await store.productions.endedRender(id)) !== known.renderId;

  return {
    openRows: ({ batchId, index, page: number }) =>
      storing(async () => {
        await assertNotPaused(store, batchId);
        await checkThere(store, index, `the index of batch "${batchId}"`);
        const page = (await readBatchIndex(store.assets, index)).pages[number];
        if (page === undefined) return { frozen: null, rows: [] };
        await checkThere(store, page, `page ${number + 1} of batch "${batchId}"`);
        return openRowsOf(await readBatchPage(store.assets, page));
      }),
    paidForm: (input) => storing(() => paidForm(input)),
    beginProduction: ({ batchId, row: { productionId, production: frozen, plan, basis }, renderId, isGone }) =>
      storing(async () => {
        const known = await store.productions.begun(productionId);
        await checkOwn(store, known, { batchId, productionId });
        // Do not replace the record of a production that may be under way: commands find the production by this record.
        if (!isGone && (await mayBeUnderWay(productionId, known, renderId))) return false;
        const render = { production: productionId, renderId, frozen, basis, startedAt: new Date().toISOString() };
        await store.productions.begin(productionId, { ...begunOf(render, account, plan.shots), batch: batchId });
        // A prune that begins later sees that this production is open. Wait for a prune that began earlier.
        await store.prunes.waitForPrune();
        return true;
      }),
    noteRows: ({ batchId, run, page, ends }) => storing(() => batches.noteResults(batchId, run, page, ends)),
    archiveBatch: ({ status }) => storing(() => batches.end(status)),
  };
}

async function checkOwn(
  store: Store,
  known: Begun | undefined,
  { batchId, productionId }: { readonly batchId: string; readonly productionId: string },
): Promise<void> {
  const origin = known?.given === true ? 'an object that a program gave' : known?.path;
  const other =
    origin === undefined
      ? await rowNameConflict(store, productionId, batchId)
      : `"${productionId}" is a production that was rendered from ${origin}`;
  if (other !== undefined) throw failure('RowRefused', `${other}; it cannot be a row of "${batchId}"`);
}
