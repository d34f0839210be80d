import { createBatches, runOf, type Store } from '../../store';
import { createOutPlaces } from '../records/out-places';
import { createProductionRecords } from '../records/production-records';
import { batchCommand, renderCommand, triggerAgainCommand } from '../wording/commands';

/**
 * The command that continues a production or batch if nothing runs it, or `GIVEN_BY_PROGRAM` if there is no file to
 * name.
 */
export async function againCommand(
  store: Store,
  { what, id }: { readonly what: 'production' | 'batch'; readonly id: string },
): Promise<string> {
  const out = await createOutPlaces(store.records).namedElsewhere(id);
  if (what === 'batch') return batchCommand(id, (await createBatches(store.records).origin(id)) ?? undefined, out);
  // A run of a schedule is rendered from what the schedule has frozen; it has no file.
  const run = await runOf(store.records, id);
  if (run !== undefined) return triggerAgainCommand(run.schedule, id);
  const origin = await createProductionRecords(store).origin(id);
  return origin === null ? GIVEN_BY_PROGRAM : renderCommand(id, origin, out);
}

const GIVEN_BY_PROGRAM = 'the program that gave it';

/** A command, in backquotes for use in a sentence. Text that is no command stays as it is. */
export function quoted(command: string): string {
  return command.startsWith('dailies ') ? `\`${command}\`` : command;
}
