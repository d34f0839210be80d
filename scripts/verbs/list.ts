import { counted } from '../../contracts/counted';
import { type Listed, listAll } from '../../client/dailies/list-all';
import { notifyCommand } from '../../client/wording/commands';
import { table } from '../../client/wording/table';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { withoutPriceInWords } from '../wording/report';
import { openSessionIfUp } from '../session/session';
import { print, printJson } from '../process/streams';
import { tellOfStore } from '../session/which-ledger';

/** Lists the productions and batches of this store with their state and charges. */
export async function list({ json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  await tellOfStore(config);
  const store = await openOwnStore(config);
  const session = await openSessionIfUp(config, store);
  try {
    const { account, prices } = config;
    const entries = (await listAll({ store, account, prices, client: session?.client })).map(({ listed }) => listed);
    if (json === true) printJson(entries);
    else if (entries.length === 0) print(`No production or batch has been rendered in ${store.name}.`);
    else print(table(entries.map((entry) => [entry.production, inWords(entry)])));
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}

function inWords({ production, title, state, reason, credits, noticesNotDelivered: lost }: Listed): string {
  const unclear = credits.unclearSubmits === 0 ? '' : `, ${credits.unclearSubmits} unclear`;
  const unpriced = withoutPriceInWords(credits.tasksWithoutPrice);
  const undelivered = lost === 0 ? '' : `  ${counted(lost, 'notice')} not delivered: ${notifyCommand(production)}`;
  return `${state}  ${counted(credits.charged, 'credit')}${unpriced}${unclear}  ${title ?? ''}${reason === null ? '' : `  (${reason})`}${undelivered}`;
}
