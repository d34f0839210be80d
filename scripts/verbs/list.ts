import { createProductionRecords, creditsOf, storedStatus, takesOf, withoutPrice } from '../../client';
import { openStore } from '../../store';
import { readConfig } from '../../workers/config';
import { EXIT, type ExitCode } from '../exit-codes';
import { table, withoutPriceInWords } from '../report';
import { openSessionIfUp } from '../session';
import { print, printJson } from '../streams';

/** One production as the list shows it. */
interface Entry {
  readonly production: string;
  readonly title: string | null;
  readonly state: string;
  readonly reason: string | null;
  readonly file: string | null;
  readonly credits: { readonly charged: number; readonly unclearSubmits: number; readonly tasksWithoutPrice: number };
}

/** Lists the productions of this store with their state and what they were charged. */
export async function list({ json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  const store = await openStore(config.storeFolder);
  const records = createProductionRecords(store);
  const session = await openSessionIfUp(config, store);
  try {
    const entries = await Promise.all(
      (await records.ids()).toSorted().map(async (id): Promise<Entry> => {
        const status = await (session?.client.status(id) ?? storedStatus(store, config.account, id));
        const takes = [...(await takesOf(store, config.account, id)).values()].flat();
        return {
          production: id,
          title: status?.title ?? null,
          state: status?.state ?? 'not rendered',
          reason: status?.reason ?? null,
          file: (await records.source(id))?.path ?? null,
          credits: { ...creditsOf(takes), tasksWithoutPrice: withoutPrice(takes) },
        };
      }),
    );
    if (json === true) printJson(entries);
    else if (entries.length === 0) print(`No production has been rendered in ${store.folder}.`);
    else print(table(entries.map((entry) => [entry.production, inWords(entry)])).join('\n'));
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}

function inWords({ title, state, reason, credits }: Entry): string {
  const unclear = credits.unclearSubmits === 0 ? '' : `, ${credits.unclearSubmits} unclear`;
  const unpriced = withoutPriceInWords(credits.tasksWithoutPrice);
  return `${state}  ${credits.charged} credits${unpriced}${unclear}  ${title ?? ''}${reason === null ? '' : `  (${reason})`}`;
}
