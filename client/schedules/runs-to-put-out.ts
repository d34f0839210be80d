import { type ProductionStatus } from '../../contracts/status';
import { createBatches, ifReadable, runIds, SCHEDULES, scheduledRun, type Store } from '../../store';
import { createOutPlaces } from '../out-places';
import { createProductionRecords } from '../production-records';
import { createScheduleRecords } from './schedule-records';

/** A run that has ended, and what it is put out from. */
export type EndedRun =
  | { readonly kind: 'batch'; readonly id: string }
  | { readonly kind: 'production'; readonly id: string; readonly status: ProductionStatus };

/**
 * The account's runs that have ended since they were last put out, of schedules of which a folder for them is named, also
 * of those that were deleted since.
 *
 * @param settled ids of runs that need no look any more; those that turn out so are added.
 */
export async function runsToPutOut(store: Store, account: string, settled: Set<string>): Promise<readonly EndedRun[]> {
  const { records } = store;
  const schedules = createScheduleRecords(records);
  const found: EndedRun[] = [];
  for (const name of await records.list(SCHEDULES)) {
    const last = (await ifReadable(() => schedules.last(name)))?.value;
    if (last?.out === undefined || last.account !== account) continue;
    const ids = (await runIds(records, name)).filter((id) => !settled.has(id));
    for (const id of ids.toSorted()) {
      // One whose records are broken is left, and must not keep the others from being put out.
      const ended = (await ifReadable(() => endOf(store, name, id)))?.value;
      if (ended === undefined) continue;
      if ((await createOutPlaces(records).noted(id)).put?.renderId === ended.renderId) settled.add(id);
      else found.push(ended.run);
    }
  }
  return found;
}

/** How a run has ended, and by which render; undefined if it has not. */
async function endOf(
  store: Store,
  schedule: string,
  id: string,
): Promise<{ readonly run: EndedRun; readonly renderId: string } | undefined> {
  const kind = (await scheduledRun(store.records, schedule, id))?.kind;
  if (kind === undefined) return undefined;
  if (kind === 'batch') {
    const batches = createBatches(store.records);
    const begun = await batches.begun(id);
    const hasEnded = begun !== undefined && (await batches.ended(id, begun.run)) !== undefined;
    return hasEnded ? { run: { kind, id }, renderId: begun.renderId } : undefined;
  }
  const records = createProductionRecords(store);
  const [begun, status] = [await records.begun(id), await records.archived(id)];
  if (begun === undefined || status?.renderId !== begun.renderId) return undefined;
  return { run: { kind, id, status }, renderId: begun.renderId };
}
