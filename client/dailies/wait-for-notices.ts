import { setTimeout as sleep } from 'node:timers/promises';
import { type NoticeSubject, type NoticeType } from '../../contracts/notice';
import { type ProductionStatus } from '../../contracts/status';
import { createBatches, createNotices, type Store } from '../../store';
import { waitsOf } from '../../workflows/production/pending-notices';
import { createProductionRecords } from '../records/production-records';

/** A wait is reported after five seconds, and a working receiver answers within a few more. */
const LIMIT_MS = 12_000;
const LOOK_EVERY_MS = 250;

/**
 * Waits until the notices of a production's state have been sent once, delivered or not, but not longer than this
 * usually takes.
 *
 * Call it before the workers stop. Notices that are not sent by then are sent when workers run again.
 */
export async function waitForNotices(store: Store, status: ProductionStatus): Promise<void> {
  const expected = await expectedNotices(store, status);
  await untilTold(store, { kind: 'production', id: status.production, renderId: status.renderId }, expected);
}

/** As `waitForNotices`, for a batch that has ended. */
export async function waitForBatchNotices(store: Store, batchId: string): Promise<void> {
  const batches = createBatches(store.records);
  const begun = await batches.begun(batchId);
  if (begun?.notify === undefined || begun.notify.on?.includes('batch.done') === false) return;
  // If nothing was rendered, no workflow has run and there is no notice.
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

/** The notices to expect for the production's state, each with the time since when it applies. */
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
