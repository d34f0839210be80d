import { readyInstant } from '../../contracts/file/ready-by';
import { type BatchTemplate, type BeginRunInput, type BegunRun } from '../../contracts/render/scheduled-run';
import { readBatchIndex, type ScheduledRun, type Store } from '../../store';
import { checkThere, OF_SCHEDULE, storedJson } from '../stored-json';

/**
 * Records the batch of a scheduled time. Returns `had` if the batch has ended, or if a person has begun it again.
 *
 * @throws AssetMissing (final)
 */
export async function beginBatch(
  store: Store,
  run: Extract<ScheduledRun, { readonly kind: 'batch' }>,
  { scheduledAt, timezone }: Pick<BeginRunInput, 'scheduledAt' | 'timezone'>,
): Promise<BegunRun> {
  const { productionId: batchId, account, index: ref } = run;
  const { batches } = store;
  await checkThere(store, ref, `the index of batch "${batchId}"`);
  const {
    rules: { readyBy, ...rules },
  } = (await storedJson(store, run.template, OF_SCHEDULE)) as BatchTemplate;
  const index = await readBatchIndex(store.assets, ref);
  // Every attempt has the same render id. With another one, a retry of this activity would pay again for failed rows.
  const common = { run: 1, renderId: batchId, index: ref, ...rules };
  // Compute the deadline from the scheduled time, so that a late start does not move the deadline by a day.
  const from = { ms: Date.parse(scheduledAt), timeZone: timezone };
  const timed = readyBy && { ...readyBy, at: readyInstant(readyBy.rule, from) };
  const mine = {
    ...{ ...common, account, at: new Date().toISOString() },
    ...(timed === undefined ? {} : { readyBy: timed }),
  };
  // Record the batch before it starts: a crash in between must not leave paid work that the store does not know.
  await batches.begin(batchId, mine);
  const begun = await batches.begun(batchId);
  const isOver = (await batches.ended(batchId, 1)) !== undefined;
  if (begun?.run !== 1 || begun.renderId !== batchId || isOver) return { state: 'had', productionId: batchId };
  await store.prunes.waitForPrune();
  const { rows, open, pages, openByModel = {} } = index;
  return {
    state: 'begun-batch',
    productionId: batchId,
    batch: {
      ...{ ...common, batchId, pages: pages.length, rows, open },
      ...(timed === undefined ? {} : { readyBy: { ...timed, openByModel } }),
    },
  };
}
