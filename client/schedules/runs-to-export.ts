import { type ProductionStatus } from '../../contracts/status';
import { ifReadable, type Store } from '../../store';

/** An ended run, with the data to publish it. */
export type EndedRun =
  | { readonly kind: 'batch'; readonly id: string }
  | { readonly kind: 'production'; readonly id: string; readonly status: ProductionStatus };

/**
 * The account's ended runs that are not published yet, of schedules with an out folder, including deleted schedules.
 *
 * @param leftOut ids of runs that are left out; the function adds the ids of published runs.
 */
export async function runsToExport(store: Store, account: string, leftOut: Set<string>): Promise<readonly EndedRun[]> {
  const { schedules } = store;
  const found: EndedRun[] = [];
  for (const name of await schedules.allNames()) {
    const last = (await ifReadable(() => schedules.last(name)))?.value;
    if (last?.out === undefined || last.account !== account) continue;
    const ids = (await store.runs.ids(name)).filter((id) => !leftOut.has(id));
    for (const id of ids.toSorted()) {
      // Skip a run with broken records, so that the other runs are still published.
      const ended = (await ifReadable(() => endOf(store, name, id)))?.value;
      if (ended === undefined) continue;
      if ((await store.outPlaces.noted(id)).put?.renderId === ended.renderId) leftOut.add(id);
      else found.push(ended.run);
    }
  }
  return found;
}

/** An ended run and its render id; undefined if the run has not ended. */
async function endOf(
  store: Store,
  schedule: string,
  id: string,
): Promise<{ readonly run: EndedRun; readonly renderId: string } | undefined> {
  const kind = (await store.runs.run(schedule, id))?.kind;
  if (kind === undefined) return undefined;
  if (kind === 'batch') {
    const { batches } = store;
    const begun = await batches.begun(id);
    const hasEnded = begun !== undefined && (await batches.ended(id, begun.run)) !== undefined;
    return hasEnded ? { run: { kind, id }, renderId: begun.renderId } : undefined;
  }
  const { productions } = store;
  const [begun, status] = [await productions.begun(id), await productions.archived(id)];
  if (begun === undefined || status?.renderId !== begun.renderId) return undefined;
  return { run: { kind, id, status }, renderId: begun.renderId };
}
