import { creditsOf, takesOf, withoutPrice } from '../../client/records/takes';
import { createProductionRecords } from '../../client/records/production-records';
import { storedStatus } from '../../client/status/stored-status';
import { notifyCommand } from '../../client/wording/commands';
import { type BatchReport } from '../../client/batch/batch-report';
import { type ManifestNotice } from '../../contracts/manifest';
import { createBatches, createNotices, fewAtOnce, type Store } from '../../store';
import { openOwnStore } from '../../workers/own-store';
import { readConfig } from '../command-config';
import { EXIT, type ExitCode } from '../exit-codes';
import { table, withoutPriceInWords } from '../report';
import { openSessionIfUp } from '../session';
import { type Session } from '../open-session';
import { print, printJson } from '../streams';
import { tellOfStore } from '../which-ledger';

/** One production or batch as the list shows it. */
interface Entry {
  readonly production: string;
  readonly title: string | null;
  readonly state: string;
  readonly reason: string | null;
  readonly file: string | null;
  readonly credits: { readonly charged: number; readonly unclearSubmits: number; readonly tasksWithoutPrice: number };
  /** Number of undelivered notices of the last render. */
  readonly noticesNotDelivered: number;
  /** Present for a batch. */
  readonly batch?: Pick<BatchReport, 'rows' | 'counts'>;
}

/** Lists the productions and batches of this store with their state and charges. */
export async function list({ json }: { readonly json?: boolean }): Promise<ExitCode> {
  const config = readConfig();
  await tellOfStore(config);
  const store = await openOwnStore(config);
  const records = createProductionRecords(store);
  const notices = createNotices(store.records);
  const session = await openSessionIfUp(config, store);
  try {
    const batches = await batchEntries(store, session);
    const isOfBatch = async (id: string): Promise<boolean> =>
      batches.some(({ production }) => id === production) || (await records.begun(id))?.batch !== undefined;
    const ids = await records.ids();
    const areOfBatches = await fewAtOnce(ids, isOfBatch);
    const productions = await fewAtOnce(
      ids.filter((_id, index) => areOfBatches[index] !== true).toSorted(),
      async (id): Promise<Entry> => {
        const status = await (session?.client.status(id) ?? storedStatus(store, config.account, id, config.prices));
        const takes = [...(await takesOf(store, config.account, id)).values()].flat();
        return {
          production: id,
          title: status?.title ?? null,
          state: status?.state ?? 'not rendered',
          reason: status?.reason ?? null,
          file: (await records.source(id))?.path ?? null,
          credits: { ...creditsOf(takes), tasksWithoutPrice: withoutPrice(takes) },
          noticesNotDelivered:
            status === undefined
              ? 0
              : notDelivered(await notices.list({ kind: 'production', id, renderId: status.renderId })),
        };
      },
    );
    const entries = [...productions, ...batches].toSorted((a, b) => (a.production < b.production ? -1 : 1));
    if (json === true) printJson(entries);
    else if (entries.length === 0) print(`No production has been rendered in ${store.folder}.`);
    else print(table(entries.map((entry) => [entry.production, inWords(entry)])));
    return EXIT.completed;
  } finally {
    await session?.close();
  }
}

/** One entry per batch. Productions that are rows of a batch are not listed themselves. */
async function batchEntries(store: Store, session: Session | undefined): Promise<readonly Entry[]> {
  const ids = await createBatches(store.records).ids();
  const entries = await Promise.all(
    ids.map(async (id): Promise<readonly Entry[]> => {
      const { batchReport } = await import('../../client/batch/batch-report.js');
      const report = await (session?.client.batches.report(id) ?? batchReport(store, id, undefined));
      if (report === undefined) return [];
      const { title, state, reason, rows, counts, file, credits, notices } = report;
      return [
        {
          production: id,
          title: `${title}: ${counts.completed} of ${rows} rows`,
          state,
          reason,
          file,
          credits: { charged: credits, unclearSubmits: 0, tasksWithoutPrice: 0 },
          noticesNotDelivered: notDelivered(notices),
          batch: { rows, counts },
        },
      ];
    }),
  );
  return entries.flat();
}

function notDelivered(notices: readonly ManifestNotice[]): number {
  return notices.filter(({ state }) => state !== 'delivered').length;
}

function inWords({ production, title, state, reason, credits, noticesNotDelivered: lost }: Entry): string {
  const unclear = credits.unclearSubmits === 0 ? '' : `, ${credits.unclearSubmits} unclear`;
  const unpriced = withoutPriceInWords(credits.tasksWithoutPrice);
  const untold =
    lost === 0 ? '' : `  ${lost} ${lost === 1 ? 'notice' : 'notices'} not delivered: ${notifyCommand(production)}`;
  return `${state}  ${credits.charged} credits${unpriced}${unclear}  ${title ?? ''}${reason === null ? '' : `  (${reason})`}${untold}`;
}
