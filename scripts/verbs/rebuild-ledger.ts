import { Refused } from '../../client';
import { rebuildLedger, type RebuiltTask } from '../../client/books/rebuild-ledger';
import { didYouMean } from '../../client/wording/phrases';
import { unknownProductionOrBatch } from '../../client/wording/refused';
import { type Store } from '../../store';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { openSessionIfUp } from '../session/session';
import { print, printJson } from '../process/streams';

/** Restores lost ledger records from the production's workflow histories. Starts and spends nothing. */
export async function rebuild(production: string, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  const store = await openOwnStore(config);
  const session = await openSessionIfUp(config, store);
  try {
    const temporal = session === undefined ? {} : { temporal: session.dailies.temporal };
    const tasks = await rebuildLedger({ store, account: config.account, production, ...temporal });
    if (tasks === undefined) {
      throw session === undefined
        ? await historiesNotRead(store, production)
        : await unknownProductionOrBatch(store, production);
    }
    if (json === true) printJson({ production, tasks });
    else print([...tasks.map(inWords), counted(tasks)]);
    if (json !== true && session === undefined) print('Temporal does not run: only archived histories were read.');
    return tasks.every(({ left }) => left === null) ? EXIT.completed : EXIT.incomplete;
  } finally {
    await session?.close();
  }
}

/** The refusal of an id of which the store has no record, if Temporal is not running and cannot be asked. */
async function historiesNotRead({ productions, batches }: Store, id: string): Promise<Refused> {
  const near = didYouMean(id, [...(await productions.ids()), ...(await batches.ids())]);
  return new Refused(
    `the store has no record of "${id}", and Temporal does not run, so its histories there were not read. ` +
      `To read them, run \`dailies up\` in another terminal, then this command again.${near}`,
  );
}

function inWords({ shot, take, task, left }: RebuiltTask): string {
  return left === null
    ? `  ${shot}, take ${take}: the ledger now has all that the histories know of task ${task}`
    : `  ${shot}: task ${task}: ${left}`;
}

function counted(tasks: readonly RebuiltTask[]): string {
  if (tasks.length === 0) return 'The ledger has every task that the histories know.';
  const lost = tasks.filter(({ left }) => left !== null).length;
  const added = `Tasks whose records were added: ${tasks.length - lost}. A render collects their outputs at no cost.`;
  return lost === 0 ? added : `${added} Tasks that could not be added: ${lost}.`;
}
