import { type RowEnd } from '../../contracts/render/batch';
import { type BatchRow } from '../../contracts/render/batch-page';
import { type BegunBatch, fewAtOnce, readBatchIndex, readBatchPage, type Store } from '../../store';
import { currentEnd } from './current-end';
import { type Overlay, type ResultPlace, RowTable } from './row-table';

/** The rows of a batch's last run, with the row ends that the store has so far. */
export interface OpenTable {
  readonly batchId: string;
  readonly begun: BegunBatch;
  readonly title: string;
  readonly table: RowTable;
  /** The present ends (see `currentEnd`) of rows that are recorded as parked. */
  readonly parked: Overlay['parked'];
}

/** Maximum number of rows in all tables together, about 40 MB. The last used table is always kept. */
const ROWS_KEPT = 200_000;

/** Maximum number of pages of results that are read at once. */
const AT_ONCE = 16;

/**
 * Time for which the present ends of parked rows are cached. An end can change without a new page of results, and
 * each check of a row takes several reads.
 */
const PARKED_AGAIN_MS = 2_000;

interface Entry {
  readonly renderId: string;
  readonly title: string;
  readonly table: RowTable;
  /** The last page of results that was read. */
  known: ResultPlace;
  parked: Overlay['parked'];
  parkedAtMs: number;
  /** The contents of parked rows, by row number. */
  readonly parkedRows: Map<number, BatchRow>;
}

/**
 * Tables of batch rows in memory. If there is no table of a batch's last run yet, all pages of rows and results are
 * read. Otherwise only new pages of results and the pages of newly parked rows are read: recorded pages never change.
 */
export class RowTables {
  readonly #store: Store;
  readonly #entries = new Map<string, Entry>();
  /** The last call for each table. Calls run in turn: each continues after the last page that was read. */
  readonly #opening = new Map<string, Promise<unknown>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Undefined if the batch has never begun. */
  async open(batchId: string): Promise<OpenTable | undefined> {
    const before = this.#opening.get(batchId) ?? Promise.resolve();
    const now = before.catch(() => undefined).then(() => this.#openNow(batchId));
    this.#opening.set(batchId, now);
    try {
      return await now;
    } finally {
      if (this.#opening.get(batchId) === now) this.#opening.delete(batchId);
    }
  }

  async #openNow(batchId: string): Promise<OpenTable | undefined> {
    const begun = await this.#store.batches.begun(batchId);
    if (begun === undefined) return undefined;
    const kept = this.#entries.get(batchId);
    const entry = kept?.renderId === begun.renderId ? kept : await this.#readRows(begun);
    await this.#readOn(batchId, begun, entry);
    await this.#readParked(batchId, begun, entry);
    this.#entries.delete(batchId);
    this.#entries.set(batchId, entry);
    this.#drop();
    return { batchId, begun, title: entry.title, table: entry.table, parked: entry.parked };
  }

  async #readRows(begun: BegunBatch): Promise<Entry> {
    const { assets } = this.#store;
    const { title, rows, pages } = await readBatchIndex(assets, begun.index);
    const table = new RowTable(rows);
    for (const ref of pages) table.addPage((await readBatchPage(assets, ref)).rows);
    const fresh = { known: { run: 0, page: 0 }, parked: new Map(), parkedAtMs: 0, parkedRows: new Map() };
    return { renderId: begun.renderId, title, table, ...fresh };
  }

  /** Reads the new results of all runs that have the last run's account. Results of other accounts do not count. */
  async #readOn(batchId: string, begun: BegunBatch, entry: Entry): Promise<void> {
    const { batches } = this.#store;
    for (const run of await batches.runs(batchId)) {
      if (run < entry.known.run || (await batches.run(batchId, run))?.account !== begun.account) continue;
      if (run > entry.known.run) entry.known = { run, page: 0 };
      await this.#readRun(batchId, entry);
    }
  }

  async #readRun(batchId: string, entry: Entry): Promise<void> {
    const { run } = entry.known;
    for (let count = 1; ; count = Math.min(AT_ONCE, count * 2)) {
      const pages = Array.from({ length: count }, (_, index) => entry.known.page + index + 1);
      const read = await Promise.all(pages.map((page) => this.#store.batches.results(batchId, run, page)));
      for (const ends of read) {
        if (ends === undefined) return;
        entry.known = { run, page: entry.known.page + 1 };
        entry.table.noteEnds(entry.known, ends);
        entry.parkedAtMs = 0;
      }
    }
  }

  async #readParked(batchId: string, begun: BegunBatch, entry: Entry): Promise<void> {
    const { table, parkedRows } = entry;
    if (table.parked.size === 0) {
      entry.parked = new Map();
      return;
    }
    if (Date.now() - entry.parkedAtMs < PARKED_AGAIN_MS) return;
    const { pages } = await readBatchIndex(this.#store.assets, begun.index);
    const missing = [...table.parked.keys()].filter((row) => !parkedRows.has(row));
    for (const page of new Set(missing.map((row) => table.pageOf(row)))) {
      const ref = pages[page];
      const rows = ref === undefined ? [] : (await readBatchPage(this.#store.assets, ref)).rows;
      for (const row of missing.filter((one) => table.pageOf(one) === page)) {
        const found = rows.find(({ key }) => key === table.keyOf(row));
        if (found !== undefined) parkedRows.set(row, found);
      }
    }
    const ends = await fewAtOnce([...table.parked], async ([row, noted]): Promise<readonly [number, RowEnd]> => {
      const frozen = parkedRows.get(row);
      return [row, frozen === undefined ? noted : await currentEnd(this.#store, begun, batchId, frozen, noted)];
    });
    entry.parked = new Map(ends);
    entry.parkedAtMs = Date.now();
  }

  /** Drops the least recently used tables. */
  #drop(): void {
    const entries = this.#entries;
    let rows = [...entries.values()].reduce((sum, { table }) => sum + table.size, 0);
    for (const [batchId, { table }] of entries) {
      if (rows <= ROWS_KEPT || entries.size === 1) return;
      entries.delete(batchId);
      rows -= table.size;
    }
  }
}
