import {
  type BatchInput,
  type BatchStatus,
  type CarriedBatch,
  type RowEnd,
  type RowNews,
  type RowOutcome,
  type RowPlace,
} from '../../contracts/render/batch';
import { exactCredits } from '../../contracts/money/credits';
import { type BatchState, type RowCounts } from '../../contracts/states';
import { timestamp } from '../temporal/clock';
import { endOfRow } from '../row/row-end';
import { type ParkedRow, parkedRow, type ParkRules, PRESENT_RULES, type UnderWay } from './parked-row';
import { stopReason } from './stop-reason';

/**
 * The state of a running batch: its rows, counts, charges, and how it ends.
 *
 * A row is counted once, when it ends. Later news about the row is ignored.
 */
export class BatchProgress {
  readonly #input: BatchInput;
  readonly #startedAt: string;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #parked = new Map<string, ParkedRow>();
  readonly #counts: Record<RowEnd['state'], number>;
  /** By run id of a row's workflow: number of the last message that was handled. */
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

  /** Grows with each change to which the batch's loop has to react. */
  changes(): number {
    return this.#changes;
  }

  room(): number {
    return this.#stopped === null ? this.#input.parallel - this.#underWay.size : 0;
  }

  /** Why no further rows are started; null if rows are still started. */
  stopped(): string | null {
    return this.#stopped;
  }

  stop(reason: string): void {
    this.#stopped ??= reason;
    this.#changes += 1;
  }

  /** Whether the row was begun and has not ended. Its workflow may still have to be started. */
  isOpen(key: string): boolean {
    return this.#underWay.has(key) || this.#parked.has(key);
  }

  isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** The rows that wait for people or for credits. */
  parked(): readonly (RowPlace & { readonly end: RowEnd })[] {
    return [...this.#parked.values()];
  }

  /** Credits that the gateway charged for ended rows. */
  credits(): number {
    return this.#credits;
  }

  /** Counts of this run's rows. `left`: rows that have neither ended nor parked. */
  figures(): { readonly ended: number; readonly left: number } {
    const ended = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    return { ended, left: this.#input.open - ended - this.#parked.size };
  }

  /** Number of this run's rows that completed with the fallback. */
  byFallback(): number {
    return this.#byFallback;
  }

  /** Rows under way that can still be asked to use the fallback. */
  mayFallBack(): readonly RowPlace[] {
    return [...this.#underWay.values()].filter(({ mayFallBackFrom }) => mayFallBackFrom !== undefined);
  }

  /**
   * Records that the row was asked to use the fallback.
   *
   * @param staysEarlier false only in replays of histories that were recorded before `isEarlier` was kept.
   */
  askedToFallBack(key: string, staysEarlier: boolean): void {
    const row = this.#underWay.get(key);
    if (row === undefined) return;
    const { digest, page, isProduction, isOwn, isEarlier } = row;
    const earlier = isEarlier === true && staysEarlier ? { isEarlier } : {};
    this.#underWay.set(key, { key, digest, page, isProduction, isOwn, ...earlier });
  }

  /** All rows that were begun and have not ended. */
  open(): readonly RowPlace[] {
    return [...this.#underWay.values(), ...this.#parked.values()];
  }

  /** If `isOwn`, the open rows whose result the batch awaits; otherwise the open rows that must report their end. */
  openBy(isOwn: boolean): readonly RowPlace[] {
    return [...this.#underWay.values(), ...this.#parked.values()].filter((row) => row.isOwn === isOwn);
  }

  begun(place: RowPlace): void {
    this.#parked.delete(place.key);
    this.#underWay.set(place.key, { ...place, isOwn: true });
  }

  /** Records that the row was asked to report its end, because continue-as-new follows. */
  asked(key: string): void {
    const row = this.#row(key);
    if (row !== undefined) row.isOwn = false;
  }

  /** Records that the row was started by an earlier run (`BatchInput.run`), so that it must report its end. */
  adopted(key: string): void {
    const row = this.#row(key);
    if (row === undefined) return;
    this.#replace({ ...row, isOwn: false, isEarlier: true });
  }

  /** Records that rows were checked. The checks add events, so the loop has to look at the history's length. */
  looked(): void {
    this.#changes += 1;
  }

  /** The place of a row that was begun and has not ended. */
  place(key: string): RowPlace | undefined {
    return this.#row(key);
  }

  /** Records the end of an earlier version of a row. The row itself still has to be rendered. */
  earlierEnded({ key, digest }: RowNews, outcome: RowOutcome): void {
    this.#credits = exactCredits(this.#credits + (outcome.credits ?? 0));
    this.#unnoted.push(endOfRow({ key, digest }, outcome));
  }

  /**
   * Whether the message is new: not repeated, not outdated, and about an open row (`isOpen`). Records a new message as
   * handled.
   */
  isNews({ key, runId, news }: RowNews): boolean {
    if (news <= (this.#heard.get(runId) ?? 0) || !this.isOpen(key)) return false;
    this.#heard.set(runId, news);
    return true;
  }

  heard(news: RowNews, rules: ParkRules = PRESENT_RULES): void {
    const { key, end } = news;
    if (end === null) this.#resumed(key);
    else if (end.state === 'parked') this.#parkedNow(news, end, rules);
    else this.ended(key, end);
  }

  ended(key: string, outcome: RowOutcome): void {
    const row = this.#row(key);
    if (row === undefined) return;
    this.#underWay.delete(key);
    this.#parked.delete(key);
    this.#counts[outcome.state] += 1;
    this.#credits = exactCredits(this.#credits + (outcome.credits ?? 0));
    if (outcome.state === 'completed' && outcome.fallback === true) this.#byFallback += 1;
    this.#unnoted.push(endOfRow(row, outcome));
    this.#checkBounds();
  }

  /** Removes and returns the oldest ends that are not recorded in the store yet, at most `most` of them. */
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

  /** The count of parked rows is computed from the present rows, since parked rows may continue. */
  #allCounts(): RowCounts {
    return { ...this.#counts, parked: this.#parked.size };
  }

  #parkedNow(news: RowNews, outcome: RowOutcome, rules: ParkRules): void {
    const row = this.#row(news.key);
    const parked = row === undefined ? undefined : parkedRow(row, outcome, news, rules);
    if (parked === undefined) return;
    this.#underWay.delete(news.key);
    this.#parked.set(news.key, parked);
    this.#unnoted.push(parked.end);
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
    const reason = stopReason(this.#input, this.#counts.failed, [...this.#parked.values()]);
    if (reason !== undefined) this.stop(reason);
  }
}

const NONE: RowCounts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, parked: 0 };
