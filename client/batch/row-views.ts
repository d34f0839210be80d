import { type RowEnd } from '../../contracts/render/batch';
import { exactCredits } from '../../contracts/money/credits';
import { fewAtOnce, readBatchIndex, readBatchPage, type Store } from '../../store';
import { type BatchHead, batchHead, type BatchReport, type LiveBatch } from './batch-report';
import { type ResultLine, resultLine } from './result-line';
import { type OpenTable, RowTables } from './row-tables';
import { type Overlay, type ResultPlace, type RowFilter, type RowViewState } from './row-table';

/** A row of a batch's last run. */
export interface RowView {
  readonly key: string;
  readonly kind: 'generation' | 'production';
  /** Null for a production. */
  readonly model: string | null;
  readonly state: RowViewState;
  /** The row's last end; null if the row has not ended since its content last changed. */
  readonly end: RowEnd | null;
}

/** The rows to show, in the order of the file. */
export interface RowsRequest extends RowFilter {
  /** Number of matching rows to skip. */
  readonly offset: number;
  readonly limit: number;
}

export interface RowPage {
  readonly matching: number;
  readonly rows: readonly RowView[];
}

/** A batch without its rows. */
export interface BatchSummary
  extends BatchHead, Pick<BatchReport, 'counts' | 'credits' | 'unclear' | 'tasksWithoutPrice'> {}

/** Reads rows of batches from `RowTables`. All methods return undefined for a batch that has never begun. */
export interface RowViews {
  page(batchId: string, request: RowsRequest, live: LiveBatch | undefined): Promise<RowPage | undefined>;
  /** The result of every row, read page by page. The paths of outputs lead into the store. */
  results(batchId: string, live: LiveBatch | undefined): Promise<AsyncIterable<ResultLine> | undefined>;
  summary(batchId: string, live: LiveBatch | undefined): Promise<BatchSummary | undefined>;
}

/**
 * Maximum number of pages of results that are cached while every row's result is read. Rows end in about the order of
 * the file, so few pages are in use.
 */
const PAGES_KEPT = 64;

export function createRowViews(store: Store, tables: RowTables = new RowTables(store)): RowViews {
  const { batches } = store;

  async function viewsOf(
    { batchId, table, parked }: OpenTable,
    overlay: Overlay,
    rows: readonly number[],
    readPage: ReadResults,
  ): Promise<readonly RowView[]> {
    const places = new Set(rows.flatMap((row) => (parked.has(row) ? [] : (table.placeOf(row) ?? []))));
    const pages = new Map(await fewAtOnce([...places], async (at) => [at, await readPage(batchId, at)] as const));
    return rows.map((row) => {
      const at = table.placeOf(row);
      const key = table.keyOf(row);
      const model = table.modelOf(row);
      const end = parked.get(row) ?? (at && pages.get(at)?.get(key)) ?? null;
      return {
        key,
        kind: model === null ? 'production' : 'generation',
        model,
        state: table.stateOf(row, overlay),
        end,
      };
    });
  }

  async function* everyResult(open: OpenTable, overlay: Overlay): AsyncGenerator<ResultLine> {
    const readResultPage = keepingPages(readResults(store));
    const { pages } = await readBatchIndex(store.assets, open.begun.index);
    let first = 0;
    for (const ref of pages) {
      const { rows } = await readBatchPage(store.assets, ref);
      const numbers = rows.map((_row, at) => first + at);
      const views = await viewsOf(open, overlay, numbers, readResultPage);
      first += rows.length;
      for (const [at, row] of rows.entries()) {
        const { state = 'pending', end = null } = views[at] ?? {};
        const asset = end?.asset ?? null;
        const path = asset !== null && (await store.assets.has(asset)) ? store.assets.shownPath(asset) : null;
        yield resultLine(store, { row, state, end }, path);
      }
    }
  }

  return {
    async page(batchId, { offset, limit, ...filter }, live) {
      const open = await tables.open(batchId);
      if (open === undefined) return undefined;
      const overlay = overlayOf(open, live);
      const { matching, rows } = open.table.find(filter, overlay, { offset, limit });
      return { matching, rows: await viewsOf(open, overlay, rows, readResults(store)) };
    },
    async results(batchId, live) {
      const open = await tables.open(batchId);
      return open && everyResult(open, overlayOf(open, live));
    },
    async summary(batchId, live) {
      const begun = await batches.begun(batchId);
      if (begun === undefined) return undefined;
      // Read the head first: a batch's end is recorded after the ends of its rows.
      const head = await batchHead(store, begun, batchId, live);
      const open = await tables.open(batchId);
      if (open === undefined) return undefined;
      const overlay = overlayOf(open, live);
      const { counts, credits, byFallback, unpriced } = open.table.tally(overlay);
      const { 'under way': underWay, ...others } = counts;
      return {
        ...head,
        readyBy: head.readyBy && { ...head.readyBy, fallback: byFallback },
        counts: { ...others, underWay },
        credits: exactCredits(credits),
        unclear: unclearRows(open, overlay),
        tasksWithoutPrice: unpriced,
      };
    },
  };
}

type ReadResults = (batchId: string, at: ResultPlace) => Promise<ReadonlyMap<string, RowEnd>>;

function unclearRows({ table, parked }: OpenTable, overlay: Overlay): number {
  const unclear = [...parked].filter(([, { parkedFor }]) => parkedFor === 'unclear');
  return unclear.filter(([row]) => table.stateOf(row, overlay) === 'parked').length;
}

function overlayOf({ table, parked }: OpenTable, live: LiveBatch | undefined): Overlay {
  return { underWay: table.numbersOf(live?.status?.underWay ?? []), parked };
}

function readResults({ batches }: Pick<Store, 'batches'>): ReadResults {
  return async (batchId, { run, page }) =>
    new Map(((await batches.results(batchId, run, page)) ?? []).map((end) => [end.key, end]));
}

/** Caches the most recently used pages. */
function keepingPages(read: ReadResults): ReadResults {
  const kept = new Map<ResultPlace, ReturnType<ReadResults>>();
  return (batchId, at) => {
    const page = kept.get(at) ?? read(batchId, at);
    kept.delete(at);
    kept.set(at, page);
    const [oldest] = kept.keys();
    if (kept.size > PAGES_KEPT && oldest !== undefined) kept.delete(oldest);
    return page;
  };
}
