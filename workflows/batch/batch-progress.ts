import {
  type BatchInput,
  type BatchState,
  type BatchStatus,
  type CarriedBatch,
  MOST_PARKED,
  type RowCounts,
  type RowEnd,
  type RowNews,
  type RowOutcome,
  type RowPlace,
} from '../../contracts/batch';
import { timestamp } from '../temporal/clock';
import { endOfRow, isSameEnd } from '../row/row-end';

/** Rows that have a workflow under way, and whether this very history began it and so sees its end. */
type UnderWay = RowPlace & { isOwn: boolean };
type ParkedRow = UnderWay & { readonly end: RowEnd };

/**
 * Where a batch stands, kept while it runs. The only thing in the workflow that changes.
 *
 * A row counts once, when it leaves the ids of those under way or parked: whatever is told of it again is not heard.
 */
export class BatchProgress {
  readonly #input: BatchInput;
  readonly #startedAt: string;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #parked = new Map<string, ParkedRow>();
  readonly #counts: Record<RowEnd['state'], number>;
  /** By run of a row's workflow, the last of its news that was heard. */
  readonly #heard = new Map<string, number>();
  readonly #unnoted: RowEnd[] = [];
  #stopped: string | null;
  #state: BatchState = 'running';
  #endedAt: string | null = null;
  #changes = 0;
  #credits: number;
  #byFallback: number;

  constructor(input: BatchInput) {
    const { carried } = input;
    this.#input = input;
    this.#startedAt = carried?.startedAt ?? timestamp();
    this.#stopped = carried?.stopped ?? null;
    this.#credits = carried?.credits ?? 0;
    this.#byFallback = carried?.deadline?.byFallback ?? 0;
    this.#counts = { ...(carried?.counts ?? NONE) };
    for (const place of carried?.underWay ?? []) this.#underWay.set(place.key, { ...place, isOwn: false });
    for (const place of carried?.parked ?? []) this.#parked.set(place.key, { ...place, isOwn: false });
  }

  /** Changes whenever something has changed that decides how the batch goes on. */
  changes(): number {
    return this.#changes;
  }

  room(): number {
    return this.#stopped === null ? this.#input.parallel - this.#underWay.size : 0;
  }

  /** Why no further rows are begun; null where they are. */
  stopped(): string | null {
    return this.#stopped;
  }

  stop(reason: string): void {
    this.#stopped ??= reason;
    this.#changes += 1;
  }

  /** Whether the row has a workflow under way, parked or not. */
  isOpen(key: string): boolean {
    return this.#underWay.has(key) || this.#parked.has(key);
  }

  isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** Those that wait for people. */
  parked(): readonly (RowPlace & { readonly end: RowEnd })[] {
    return [...this.#parked.values()];
  }

  /** What the gateway charged for rows that have ended. */
  credits(): number {
    return this.#credits;
  }

  /** Rows of this run that have ended, and those that have not and wait for nobody. */
  figures(): { readonly ended: number; readonly left: number } {
    const ended = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    return { ended, left: this.#input.open - ended - this.#parked.size };
  }

  /** How many rows of this run were rendered by the fallback. */
  byFallback(): number {
    return this.#byFallback;
  }

  /** Those under way that may be asked yet to go by the fallback. */
  mayFallBack(): readonly RowPlace[] {
    return [...this.#underWay.values()].filter(({ mayFallBackFrom }) => mayFallBackFrom !== undefined);
  }

  /** It was asked to. */
  askedToFallBack(key: string): void {
    const row = this.#underWay.get(key);
    if (row === undefined) return;
    const { digest, page, isProduction, isOwn } = row;
    this.#underWay.set(key, { key, digest, page, isProduction, isOwn });
  }

  /** All that have a workflow under way. */
  open(): readonly RowPlace[] {
    return [...this.#underWay.values(), ...this.#parked.values()];
  }

  /** Those whose end this history sees by itself, or else those that have to tell it. */
  openBy(isOwn: boolean): readonly RowPlace[] {
    return [...this.#underWay.values(), ...this.#parked.values()].filter((row) => row.isOwn === isOwn);
  }

  begun(place: RowPlace): void {
    this.#parked.delete(place.key);
    this.#underWay.set(place.key, { ...place, isOwn: true });
  }

  /** It was asked to tell its end, which this history does not see. */
  asked(key: string): void {
    const row = this.#row(key);
    if (row !== undefined) row.isOwn = false;
  }

  /** The same of one that an earlier run of the batch has begun. */
  adopted(key: string): void {
    const row = this.#row(key);
    if (row === undefined) return;
    this.#replace({ ...row, isOwn: false, isEarlier: true });
  }

  /** The rows under way were looked at, which costs events. */
  looked(): void {
    this.#changes += 1;
  }

  /** Where a row is to be found that has a workflow under way. */
  place(key: string): RowPlace | undefined {
    return this.#row(key);
  }

  /** An earlier version of a row has ended: that is noted as what it is, and the row itself is still to be rendered. */
  earlierEnded({ key, digest }: RowNews, outcome: RowOutcome): void {
    this.#credits += outcome.credits ?? 0;
    this.#unnoted.push(endOfRow({ key, digest }, outcome));
  }

  /** @returns false for what is no news. */
  isNews({ key, runId, news }: RowNews): boolean {
    if (news <= (this.#heard.get(runId) ?? 0) || !this.isOpen(key)) return false;
    this.#heard.set(runId, news);
    return true;
  }

  heard({ key, end }: RowNews): void {
    if (end === null) this.#resumed(key);
    else if (end.state === 'parked') this.#parkedNow(key, end);
    else this.ended(key, end);
  }

  ended(key: string, outcome: RowOutcome): void {
    const row = this.#row(key);
    if (row === undefined) return;
    this.#underWay.delete(key);
    this.#parked.delete(key);
    this.#counts[outcome.state] += 1;
    this.#credits += outcome.credits ?? 0;
    if (outcome.state === 'completed' && outcome.fallback === true) this.#byFallback += 1;
    this.#unnoted.push(endOfRow(row, outcome));
    this.#checkBounds();
  }

  /** Takes so many of what is to be noted in the store, the oldest first. */
  takeUnnoted(most: number): readonly RowEnd[] {
    return this.#unnoted.splice(0, most);
  }

  unnoted(): number {
    return this.#unnoted.length;
  }

  close(isCancelled: boolean): void {
    const { completed } = this.#counts;
    this.#endedAt = timestamp();
    this.#state = isCancelled ? 'cancelled' : completed === this.#input.open ? 'completed' : 'incomplete';
  }

  status(): BatchStatus {
    const { batchId, run, rows, open } = this.#input;
    return {
      batch: batchId,
      run,
      state: this.#state,
      reason: this.#stopped,
      rows,
      open,
      counts: this.#allCounts(),
      underWay: [...this.#underWay.keys()],
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
    };
  }

  carried({
    page,
    begun,
    noted,
    toldWaits,
    ...time
  }: Pick<CarriedBatch, 'page' | 'begun' | 'noted' | 'deadline'> & { readonly toldWaits: boolean }): CarriedBatch {
    const place = ({ key, digest, page: of, isProduction, isEarlier, mayFallBackFrom }: RowPlace): RowPlace => ({
      ...{ key, digest, page: of, isProduction },
      ...(isEarlier === true ? { isEarlier } : {}),
      ...(mayFallBackFrom === undefined ? {} : { mayFallBackFrom }),
    });
    return {
      startedAt: this.#startedAt,
      page,
      begun,
      noted,
      underWay: [...this.#underWay.values()].map(place),
      parked: [...this.#parked.values()].map((row) => ({ ...place(row), end: row.end })),
      counts: this.#counts,
      stopped: this.#stopped,
      credits: this.#credits,
      toldWaits,
      ...time,
    };
  }

  /** Parked rows are counted by their ids, since they may go on. */
  #allCounts(): RowCounts {
    return { ...this.#counts, parked: this.#parked.size };
  }

  #parkedNow(key: string, outcome: RowOutcome): void {
    const row = this.#row(key);
    if (row === undefined) return;
    // Whoever is asked where it stands tells it once more.
    if ('end' in row && isSameEnd(row.end, outcome)) return;
    const end = endOfRow(row, outcome);
    this.#underWay.delete(key);
    this.#parked.set(key, { ...row, end });
    this.#unnoted.push(end);
    this.#checkBounds();
  }

  #resumed(key: string): void {
    const row = this.#parked.get(key);
    if (row === undefined) return;
    const { digest, page, isProduction, isOwn, mayFallBackFrom } = row;
    const asked = mayFallBackFrom === undefined ? {} : { mayFallBackFrom };
    this.#parked.delete(key);
    this.#underWay.set(key, { key, digest, page, isProduction, isOwn, ...asked });
    this.#changes += 1;
  }

  #row(key: string): UnderWay | ParkedRow | undefined {
    return this.#underWay.get(key) ?? this.#parked.get(key);
  }

  #replace(row: UnderWay | ParkedRow): void {
    if ('end' in row) this.#parked.set(row.key, row);
    else this.#underWay.set(row.key, row);
  }

  #checkBounds(): void {
    this.#changes += 1;
    const { stopAfterFailures } = this.#input;
    // What waited before this run began is no reason to end it.
    const parked = [...this.#parked.values()].filter(({ isEarlier }) => isEarlier !== true);
    const failures = this.#counts.failed + parked.filter(({ end }) => end.parkedFor === 'failed').length;
    if (stopAfterFailures !== null && failures >= stopAfterFailures) {
      this.stop(`stopped after ${failures} ${failures === 1 ? 'failure' : 'failures'}`);
    } else if (parked.some(({ end }) => end.parkedFor === 'credits')) {
      this.stop('the account has no credits left');
    } else if (parked.length >= MOST_PARKED) {
      this.stop(`${parked.length} rows wait for people`);
    }
  }
}

const NONE: RowCounts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
