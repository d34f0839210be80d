import { createBatches, runOf, type Store } from '../store';
import { createOutPlaces } from './out-places';
import { createProductionRecords } from './production-records';
import { batchCommand, renderCommand, triggerAgainCommand } from './waiting';

/**
 * What to type so that a production or batch goes on to its end if nothing runs, or what to do: of a production that a
 * program gave there is no file that a command could name.
 */
export async function againCommand(
  store: Store,
  { what, id }: { readonly what: 'production' | 'batch'; readonly id: string },
): Promise<string> {
  const out = await createOutPlaces(store.records).namedElsewhere(id);
  if (what === 'batch') return batchCommand(id, (await createBatches(store.records).source(id))?.path, out);
  // A run of a schedule is rendered of what was frozen with that, and has no file.
  const run = await runOf(store.records, id);
  if (run !== undefined) return triggerAgainCommand(run.schedule, id);
  const origin = await createProductionRecords(store).origin(id);
  return origin === null ? GIVEN_BY_PROGRAM : renderCommand(id, origin, out);
}

const GIVEN_BY_PROGRAM = 'the program that gave it';

/** A command as it stands in a sentence; some are a sentence's part already. */
export function quoted(command: string): string {
  return command.startsWith('dailies ') ? `\`${command}\`` : command;
}
