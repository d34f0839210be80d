import { type Store } from '../../store';
import { batchCommand, renderCommand, triggerAgainCommand } from '../wording/commands';
import { createOutFolders } from '../records/out-folders';

/**
 * The command that continues a held, interrupted or ended production or batch; `GIVEN_BY_PROGRAM` if a program gave the
 * production. For a production that is a row of a batch, the command of the batch.
 */
export async function againCommand(
  store: Store,
  { what, id }: { readonly what: 'production' | 'batch'; readonly id: string },
): Promise<string> {
  const batchId = what === 'production' ? (await store.productions.begun(id))?.batch : undefined;
  if (batchId !== undefined) return againCommand(store, { what: 'batch', id: batchId });
  const out = await createOutFolders(store).nonDefaultFolder(id);
  if (what === 'batch') return batchCommand(id, (await store.batches.origin(id)) ?? undefined, out);
  // A run of a schedule has no file, because the schedule has frozen the run's production.
  const run = await store.runs.byId(id);
  if (run !== undefined) return triggerAgainCommand(run.schedule, id);
  const origin = await store.productions.origin(id);
  return origin === null ? GIVEN_BY_PROGRAM : renderCommand(id, origin, out);
}

const GIVEN_BY_PROGRAM = 'the program that started it';

/** Puts a command in backquotes, for use in a sentence. Other text stays as it is. */
export function quoted(command: string): string {
  return command.startsWith('dailies ') ? `\`${command}\`` : command;
}
