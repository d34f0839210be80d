import { setTimeout as sleep } from 'node:timers/promises';
import { type NoticeSubject, type NoticeType } from '../contracts/notice';
import { type ProductionStatus } from '../contracts/status';
import { createBatches, createNotices, type Store } from '../store';
import { waitsOf } from '../workflows/production/pending-notices';
import { createProductionRecords } from './production-records';

/** A wait is told after five seconds, and a receiver that lives answers in the next few. */
const LIMIT_MS = 12_000;
const LOOK_EVERY_MS = 250;

/**
 * Waits until what a production has come to was told once, delivered or not, and no longer than that commonly takes.
 *
 * For who is about to stop the workers: what is not told by then is told when workers run again.
 */
export async function waitForNotices(store: Store, status: ProductionStatus): Promise<void> {
  const expected = await expectedNotices(store, status);
  await untilTold(store, { kind: 'production', id: status.production, renderId: status.renderId }, expected);
}

/** The same for a batch that has ended. */
export async function waitForBatchNotices(store: Store, batchId: string): Promise<void> {
  const batches = createBatches(store.records);
  const begun = await batches.begun(batchId);
  if (begun?.notify === undefined || begun.notify.on?.includes('batch.done') === false) return;
  // Where nothing was to be rendered, no workflow has run, and nothing is told.
  if ((await batches.ended(batchId, begun.run))?.open === 0) return;
  await untilTold(store, { kind: 'batch', id: batchId, renderId: begun.renderId }, [['batch.done', begun.at]]);
}

async function untilTold(
  store: Store,
  subject: NoticeSubject,
  expected: readonly (readonly [NoticeType, string])[],
): Promise<void> {
  const giveUpAt = Date.now() + LIMIT_MS;
  while (Date.now() < giveUpAt) {
    const told = await createNotices(store.records).list(subject);
    const isTold = ([type, since]: readonly [NoticeType, string]): boolean =>
      told.some((notice) => notice.type === type && notice.at >= since);
    if (expected.every(isTold)) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** What is to be told of how it stands, each with since when it stands so. */
async function expectedNotices(
  store: Store,
  status: ProductionStatus,
): Promise<readonly (readonly [NoticeType, string])[]> {
  const records = createProductionRecords(store);
  const begun = await records.begun(status.production);
  const notify = begun === undefined ? undefined : (await records.plan(begun))?.notify;
  if (notify === undefined) return [];
  const all: readonly (readonly [NoticeType, string])[] =
    status.state === 'running'
      ? waitsOf(status).map(({ type, since }) => [type, since] as const)
      : [[`production.${status.state}`, status.endedAt ?? '']];
  return all.filter(([type]) => notify.on?.includes(type) !== false);
}
