import { createBatches, runOf, type Store } from '../store';
import { createOutPlaces } from './out-places';
import { createProductionRecords } from './production-records';
import { batchCommand, renderCommand, triggerAgainCommand } from './waiting';

/** What to type so that a production or batch goes on to its end where nothing runs. */
export async function againCommand(
  store: Store,
  { what, id }: { readonly what: 'production' | 'batch'; readonly id: string },
): Promise<string> {
  const out = await createOutPlaces(store.records).namedElsewhere(id);
  if (what === 'batch') return batchCommand(id, (await createBatches(store.records).source(id))?.path, out);
  // A run of a schedule is rendered of what was frozen with that, and has no file.
  const run = await runOf(store.records, id);
  if (run !== undefined) return triggerAgainCommand(run.schedule, id);
  return renderCommand(id, (await createProductionRecords(store).source(id))?.path, out);
}
