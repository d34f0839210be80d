import { type ManifestNotice } from '../../contracts/manifest';
import { type PriceTable } from '../../contracts/money/price-table';
import { type ProductionStatus } from '../../contracts/status';
import { fewAtOnce, ifReadable, type Store } from '../../store';
import { type BatchReport } from '../batch/batch-report';
import { creditsOf, takesOf, withoutPrice } from '../records/takes';
import { storedStatus } from '../status/stored-status';
import { type DailiesClient } from './dailies-client';

/** An entry as `dailies list --json` prints it. Other programs read these fields: only add fields. */
export interface Listed {
  readonly production: string;
  readonly title: string | null;
  readonly state: string;
  readonly reason: string | null;
  readonly file: string | null;
  readonly credits: { readonly charged: number; readonly unclearSubmits: number; readonly tasksWithoutPrice: number };
  /** The number of undelivered notices of the last render. */
  readonly noticesNotDelivered: number;
  /** Absent for a production, and for an unreadable batch. */
  readonly batch?: Pick<BatchReport, 'rows' | 'counts'>;
}

export interface Listing {
  readonly listed: Listed;
  /** Undefined for a batch, and for a production that was never rendered or is unreadable. */
  readonly status: ProductionStatus | undefined;
}

export interface ListOptions {
  readonly store: Store;
  readonly account: string;
  readonly prices: PriceTable;
  /** Undefined if Temporal is not running; the states then come from the store. */
  readonly client: Pick<DailiesClient, 'status' | 'batches'> | undefined;
}

/** All productions and batches, sorted by id. Productions that are rows of a batch are left out. */
export async function listAll(options: ListOptions): Promise<readonly Listing[]> {
  const { store } = options;
  const batches = await fewAtOnce(await store.batches.ids(), (id) => orUnreadable(id, () => batchListing(options, id)));
  const ofBatches = new Set(batches.flat().map(({ listed }) => listed.production));
  const ids = await store.productions.ids();
  const areOfBatches = await fewAtOnce(
    ids,
    async (id) =>
      ofBatches.has(id) || (await ifReadable(() => store.productions.begun(id)))?.value?.batch !== undefined,
  );
  const own = ids.filter((_id, index) => areOfBatches[index] !== true);
  const productions = await fewAtOnce(own, (id) =>
    orUnreadable(id, async () => [await productionListing(options, id)]),
  );
  return [...productions.flat(), ...batches.flat()].toSorted((a, b) =>
    a.listed.production < b.listed.production ? -1 : 1,
  );
}

/** A production or batch with unreadable records is listed too: it may have paid takes. */
async function orUnreadable(id: string, read: () => Promise<readonly Listing[]>): Promise<readonly Listing[]> {
  let unreadable = '';
  const found = await ifReadable(read, ({ message }) => (unreadable = message));
  return found?.value ?? [unreadableListing(id, unreadable)];
}

function unreadableListing(id: string, reason: string): Listing {
  const credits = { charged: 0, unclearSubmits: 0, tasksWithoutPrice: 0 };
  const unknown = { title: null, file: null, credits, noticesNotDelivered: 0 };
  return { listed: { production: id, state: 'unreadable', reason, ...unknown }, status: undefined };
}

async function productionListing({ store, account, prices, client }: ListOptions, id: string): Promise<Listing> {
  const status = await (client?.status(id) ?? storedStatus(store, account, id, prices));
  const takes = [...(await takesOf(store, account, id)).values()].flat();
  const subject = { kind: 'production', id } as const;
  const listed = {
    production: id,
    title: status?.title ?? null,
    state: status?.state ?? 'not rendered',
    reason: status?.reason ?? null,
    file: (await store.productions.source(id))?.path ?? null,
    credits: { ...creditsOf(takes), tasksWithoutPrice: withoutPrice(takes) },
    noticesNotDelivered:
      status === undefined ? 0 : notDelivered(await store.notices.list({ ...subject, renderId: status.renderId })),
  };
  return { listed, status };
}

async function batchListing({ store, client }: ListOptions, id: string): Promise<readonly Listing[]> {
  // Import this module only for a batch, because the module loads Temporal's client.
  const { batchReport } = await import('../batch/batch-report.js');
  const report = await (client === undefined
    ? batchReport(store, id, undefined)
    : client.batches.rows.summary(id, await client.batches.live(id)));
  if (report === undefined) return [];
  const { title, state, reason, rows, counts, file, credits, unclear, tasksWithoutPrice, notices } = report;
  const listed = {
    production: id,
    title: `${title}: ${counts.completed} of ${rows} rows`,
    state,
    reason,
    file,
    credits: { charged: credits, unclearSubmits: unclear, tasksWithoutPrice },
    noticesNotDelivered: notDelivered(notices),
    batch: { rows, counts },
  };
  return [{ listed, status: undefined }];
}

function notDelivered(notices: readonly ManifestNotice[]): number {
  return notices.filter(({ state }) => state !== 'delivered').length;
}
