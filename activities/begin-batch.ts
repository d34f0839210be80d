import { buffer } from 'node:stream/consumers';
import { type BatchTemplate, type BegunRun } from '../contracts/scheduled-run';
import { createBatches, outlastPrunes, readBatchIndex, type ScheduledRun, type Store } from '../store';
import { failure } from './fail';

/** Begins the batch of a scheduled time, or finds that it has ended, or was begun anew by a person since. */
export async function beginBatch(
  store: Store,
  run: Extract<ScheduledRun, { readonly kind: 'batch' }>,
): Promise<BegunRun> {
  const { productionId: batchId, account, index: ref } = run;
  const batches = createBatches(store.records);
  for (const asset of [ref, run.template]) {
    if (await store.assets.has(asset)) continue;
    throw failure('AssetMissing', `the rows of ${batchId} (${asset.sha256}) are not in the store ${store.folder}`);
  }
  const { rules } = JSON.parse((await buffer(store.assets.open(run.template))).toString('utf8')) as BatchTemplate;
  const index = await readBatchIndex(store.assets, ref);
  // A start that nobody decided on pays for nothing anew: it is the same render.
  const mine = { run: 1, renderId: batchId, account, index: ref, at: new Date().toISOString(), ...rules };
  // Before the start: a crash in between must not leave paid work that the store knows nothing of.
  await batches.begin(batchId, mine);
  const begun = await batches.begun(batchId);
  const isOver = (await batches.ended(batchId, 1)) !== undefined;
  if (begun?.run !== 1 || begun.renderId !== batchId || isOver) return { state: 'had', productionId: batchId };
  await outlastPrunes(store.records);
  const { rows, open, pages } = index;
  return {
    state: 'begun-batch',
    productionId: batchId,
    batch: { batchId, run: 1, index: ref, pages: pages.length, rows, open, renderId: batchId, ...rules },
  };
}
