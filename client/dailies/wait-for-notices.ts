import { setTimeout as sleep } from 'node:timers/promises';
import { type NoticeSubject, type NoticeType } from '../../contracts/notice';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { waitsOf } from '../../workflows/production/pending-notices';

/**
 * Longest wait for notices. A notice about a waiting shot is usually sent five seconds after the wait begins. A working
 * receiver answers within seconds.
 */
const LIMIT_MS = 12_000;
const CHECK_EVERY_MS = 250;

/**
 * Waits until Dailies has tried once to deliver each notice of a production's state. Gives up after `LIMIT_MS`.
 *
 * Call this before the workers stop. The remaining notices are sent when workers run again.
 */
export async function waitForNotices(store: Store, status: ProductionStatus): Promise<void> {
  const expected = await expectedNotices(store, status);
  await untilSent(store, { kind: 'production', id: status.production, renderId: status.renderId }, expected);
}

/** As `waitForNotices`, for a batch that has ended. */
export async function waitForBatchNotices(store: Store, batchId: string): Promise<void> {
  const { batches } = store;
  const begun = await batches.begun(batchId);
  if (begun?.notify === undefined || begun.notify.on?.includes('batch.done') === false) return;
  // A run without rows to render has no workflow, and so sends no notice.
  if ((await batches.ended(batchId, begun.run))?.open === 0) return;
  await untilSent(store, { kind: 'batch', id: batchId, renderId: begun.renderId }, [['batch.done', begun.at]]);
}

async function untilSent(
  store: Store,
  subject: NoticeSubject,
  expected: readonly (readonly [NoticeType, string])[],
): Promise<void> {
  const giveUpAtMs = Date.now() + LIMIT_MS;
  while (Date.now() < giveUpAtMs) {
    const sent = await store.notices.list(subject);
    const isSent = ([type, since]: readonly [NoticeType, string]): boolean =>
      sent.some((notice) => notice.type === type && notice.at >= since);
    if (expected.every(isSent)) return;
    await sleep(CHECK_EVERY_MS);
  }
}

/** The notices to expect for the production's state, each with the time of its event. */
async function expectedNotices(
  store: Store,
  status: ProductionStatus,
): Promise<readonly (readonly [NoticeType, string])[]> {
  const { productions } = store;
  const begun = await productions.begun(status.production);
  const notify = begun === undefined ? undefined : (await productions.plan(begun))?.notify;
  if (notify === undefined) return [];
  const all: readonly (readonly [NoticeType, string])[] =
    status.state === 'running'
      ? waitsOf(status).map(({ type, since }) => [type, since] as const)
      : [[`production.${status.state}`, status.endedAt ?? '']];
  return all.filter(([type]) => notify.on?.includes(type) !== false);
}
