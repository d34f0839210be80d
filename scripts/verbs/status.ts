import { inStore, manifestOf, Refused, storedStatus, takesOf, withoutPrice } from '../../client';
import { planRest } from '../../client/plan';
import { type Manifest } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { createGateRecord, createQuotes, openStore, type Store } from '../../store';
import { type Config, readConfig } from '../../workers/config';
import { EXIT, type ExitCode } from '../exit-codes';
import { quoteInWords, toRender } from '../plan-wording';
import { filmInWords, shotInWords } from '../progress/wording';
import { driftInWords, table, tellOfDrift, tellWhatWaits, withoutPriceInWords } from '../report';
import { openSessionIfUp } from '../session';
import { print, printJson, tell } from '../streams';

/** Shows where a production stands. Never brings anything up. */
export async function status(productionId: string, { json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  const store = await openStore(config.storeFolder);
  const session = await openSessionIfUp(config, store);
  try {
    const found = await (session?.client.status(productionId) ?? storedStatus(store, config.account, productionId));
    if (found === undefined) throw new Refused(`no production "${productionId}" is known here; see \`dailies list\``);
    const manifest = await manifestOf(store, config.account, found, inStore(store));
    if (json === true) printJson(manifest);
    else {
      const takes = [...(await takesOf(store, config.account, productionId)).values()].flat();
      printStatus(
        found,
        manifest,
        `${manifest.credits.charged} credits charged${withoutPriceInWords(withoutPrice(takes))}`,
      );
      if (found.state !== 'completed') await printRest(config, store, found);
      tellOfDrift(manifest);
      tellWhatWaits(found);
      await tellOfClosedGate(store, config.account);
    }
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}

/** What the shots that are still to be paid for would cost. */
async function printRest({ account, prices }: Config, store: Store, found: ProductionStatus): Promise<void> {
  const rest = await planRest({ store, account, quotes: createQuotes(store.records, account, prices) }, found);
  if (rest === undefined || rest.quote.tasks === 0) return;
  print(`Quoted for the rest: ${toRender(rest)}, ${quoteInWords(rest.quote)}.`);
}

async function tellOfClosedGate(store: Store, account: string): Promise<void> {
  const gate = await createGateRecord(store.records, account).read();
  if (gate === undefined) return;
  const { since, reason, tryAt, tryAnywayAt } = gate;
  tell(
    `Submits of this account wait since ${since}: ${reason}. One tries from ${tryAt} on, as soon as the gateway ` +
      `answers a read in good order; at the latest at ${tryAnywayAt}. The others follow it.`,
  );
}

function printStatus(status: ProductionStatus, manifest: Manifest, cost: string): void {
  const { title, state, reason, shots } = status;
  const film = filmInWords(status);
  const drifts = new Map(manifest.shots.map(({ id, drift }) => [id, drift]));
  print(
    [
      `${title}: ${state}${reason === null ? '' : ` (${reason})`}, ${cost}`,
      ...table([
        ...shots.map((shot) => [shot.id, `${shotInWords(shot)}${driftInWords(drifts.get(shot.id))}`] as const),
        ...(film === '' ? [] : [['the film', film] as const]),
      ]),
    ].join('\n'),
  );
}
