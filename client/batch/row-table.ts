import { type RowEnd } from '../../contracts/render/batch';
import { type BatchRow } from '../../contracts/render/batch-page';
import { ROW_STATES, type RowState } from '../../contracts/states';

/** The page of results that contains the last recorded end of a row. */
export interface ResultPlace {
  readonly run: number;
  readonly page: number;
}

export interface RowFilter {
  readonly state?: RowViewState | undefined;
  /** The beginning of the rows' keys. */
  readonly key?: string | undefined;
}

export type RowViewState = RowState | 'under way' | 'pending';

export interface FoundRows {
  readonly matching: number;
  /** Row numbers of the matching rows from `offset` on, at most `limit`. */
  readonly rows: readonly number[];
}

/** What the table lacks: the rows that are running, and the present ends of rows that are recorded as parked. */
export interface Overlay {
  readonly underWay: ReadonlySet<number>;
  readonly parked: ReadonlyMap<number, RowEnd>;
}

export interface RowTally {
  readonly counts: Readonly<Record<RowViewState, number>>;
  readonly credits: number;
  /** Number of completed rows that used the fallback. */
  readonly byFallback: number;
  /** Number of rows for which `isUnpriced` is true. */
  readonly unpriced: number;
}

/** True if the row is a task that has ended and whose charge is unknown. The end of a production names no task. */
export function isUnpriced({ state, parkedFor, taskId, credits }: RowEnd): boolean {
  const hasEnded = state === 'parked' ? parkedFor === 'failed' || parkedFor === 'uncollected' : state !== 'skipped';
  return hasEnded && taskId !== null && credits === null;
}

const STATES = ['pending', ...ROW_STATES] as const;

/**
 * All rows of a run, each with its state and the place of its last end. Only the ends of parked rows are in
 * memory, so that 100,000 rows take about 20 MB. Rows are numbered from 0 in the order of the file.
 */
export class RowTable {
  readonly #numbers = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #digests: string[] = [];
  /** The number of the first row of each page of rows. */
  readonly #pages: number[] = [];
  readonly #models: (string | null)[] = [];
  readonly #modelOf: Uint16Array;
  readonly #states: Uint8Array;
  readonly #byFallback: Uint8Array;
  readonly #unpriced: Uint8Array;
  readonly #credits: Float64Array;
  readonly #placeOf: Uint32Array;
  readonly #places: ResultPlace[] = [];
  /** The recorded ends of parked rows. A row may have continued since it was parked. */
  readonly parked = new Map<number, RowEnd>();

  constructor(rows: number) {
    this.#modelOf = new Uint16Array(rows);
    this.#states = new Uint8Array(rows);
    this.#byFallback = new Uint8Array(rows);
    this.#unpriced = new Uint8Array(rows);
    this.#credits = new Float64Array(rows);
    this.#placeOf = new Uint32Array(rows);
  }

  get size(): number {
    return this.#keys.length;
  }

  addPage(rows: readonly BatchRow[]): void {
    this.#pages.push(this.size);
    for (const row of rows) {
      const model = row.kind === 'generation' ? row.shot.model : null;
      const known = this.#models.indexOf(model);
      this.#modelOf[this.size] = known === -1 ? this.#models.push(model) - 1 : known;
      this.#numbers.set(row.key, this.size);
      this.#digests.push(row.digest);
      this.#keys.push(row.key);
    }
  }

  /** Adds a page of results. Pages must be added in their order, because later ends of a row replace earlier ones. */
  noteEnds(place: ResultPlace, ends: readonly RowEnd[]): void {
    this.#places.push(place);
    for (const end of ends) {
      const row = this.#numbers.get(end.key);
      if (row === undefined) continue;
      // If the digests differ, the row ended with other content. Then it is pending, even if an earlier end matched.
      const isOwn = this.#digests[row] === end.digest;
      this.#states[row] = isOwn ? STATES.indexOf(end.state) : 0;
      this.#placeOf[row] = isOwn ? this.#places.length : 0;
      this.#credits[row] = isOwn ? (end.credits ?? 0) : 0;
      this.#unpriced[row] = isOwn && isUnpriced(end) ? 1 : 0;
      this.#byFallback[row] = isOwn && end.fallback === true ? 1 : 0;
      if (isOwn && end.state === 'parked') this.parked.set(row, end);
      else this.parked.delete(row);
    }
  }

  numbersOf(keys: readonly string[]): ReadonlySet<number> {
    return new Set(keys.flatMap((key) => this.#numbers.get(key) ?? []));
  }

  keyOf(row: number): string {
    return this.#keys[row] ?? '';
  }

  /** The row's model; null if it is a production. */
  modelOf(row: number): string | null {
    return this.#models[this.#modelOf[row] ?? 0] ?? null;
  }

  /** The place of the row's last end; undefined if there is none, or if the row ended with other content. */
  placeOf(row: number): ResultPlace | undefined {
    return this.#places[(this.#placeOf[row] ?? 0) - 1];
  }

  /** Number of the page of rows, from 0, that has the row. */
  pageOf(row: number): number {
    let [low, high] = [0, this.#pages.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#pages[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  stateOf(row: number, { underWay, parked }: Overlay): RowViewState {
    if (underWay.has(row)) return 'under way';
    return parked.get(row)?.state ?? STATES[this.#states[row] ?? 0] ?? 'pending';
  }

  find(
    { state, key = '' }: RowFilter,
    overlay: Overlay,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): FoundRows {
    const rows: number[] = [];
    let matching = 0;
    for (let row = 0; row < this.size; row += 1) {
      if (state !== undefined && this.stateOf(row, overlay) !== state) continue;
      if (!this.keyOf(row).startsWith(key)) continue;
      if (matching >= offset && rows.length < limit) rows.push(row);
      matching += 1;
    }
    return { matching, rows };
  }

  /** Counts all rows by state, and adds up their known charges. */
  tally(overlay: Overlay): RowTally {
    const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0, 'under way': 0, pending: 0 };
    let [credits, byFallback, unpriced] = [0, 0, 0];
    for (let row = 0; row < this.size; row += 1) {
      const state = this.stateOf(row, overlay);
      const parked = overlay.parked.get(row);
      counts[state] += 1;
      credits += parked === undefined ? (this.#credits[row] ?? 0) : (parked.credits ?? 0);
      const lacksPrice = parked === undefined ? this.#unpriced[row] === 1 : isUnpriced(parked);
      if (lacksPrice) unpriced += 1;
      const isLowered = parked === undefined ? this.#byFallback[row] === 1 : parked.fallback === true;
      if (state === 'completed' && isLowered) byFallback += 1;
    }
    return { counts, credits, byFallback, unpriced };
  }
}
