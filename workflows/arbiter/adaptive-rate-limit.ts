import type { LimitSet } from '../../contracts/limits';

/**
 * How fast submits go: by the rates that a person has set, and by what the gateway's throttling teaches. Pure, so that it
 * is tested without a server.
 */

const MINUTE_MS = 60_000;

/** Nothing is sent for this long after a 429 that names no time, then for twice as long while there is nothing else. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A raise that was throttled at once is tried again after that many submits, then after twice as many. */
const TRY_RAISE_AFTER = { first: 100, most: 1_600 };

/**
 * Where the learned number holds everything back for this long, one more is tried: what holds the places may be tasks
 * that nobody will ever hear of. After a try that was throttled it takes twice as long.
 */
const TRY_ANYWAY_AFTER = { firstMs: 30_000, mostMs: 60 * 60_000 };

/** What is kept of it over continue-as-new. Times are in milliseconds. */
export interface AdaptiveRateLimitState {
  /** The number in flight that the gateway is known to take; null where it has throttled nothing. */
  readonly learned: number | null;
  /** Submits at that number until one more is tried. */
  readonly raiseAfter: number;
  readonly atLearned: number;
  /** Whether the last change was a raise of which nobody has seen yet whether it holds. */
  readonly isTrying: boolean;
  /** What it was raised from; null where it never was. */
  readonly triedFrom: number | null;
  /** When something was last sent, or throttled. */
  readonly lastMs: number;
  readonly tryAnywayMs: number;
  /** Whether the last one went since nothing had for long. */
  readonly isAnyway: boolean;
  readonly closedUntilMs: number;
  /** Closings in a row after which no task has ended. */
  readonly closings: number;
  /** The submits of the last minute, and the last one of each model: a rate may be one in many minutes. */
  readonly granted: readonly (readonly [atMs: number, model: string])[];
}

const AT_FIRST: AdaptiveRateLimitState = {
  learned: null,
  raiseAfter: 1,
  atLearned: 0,
  isTrying: false,
  triedFrom: null,
  lastMs: 0,
  tryAnywayMs: TRY_ANYWAY_AFTER.firstMs,
  isAnyway: false,
  closedUntilMs: 0,
  closings: 0,
  granted: [],
};

export class AdaptiveRateLimit {
  #state: AdaptiveRateLimitState;

  constructor(before: AdaptiveRateLimitState = AT_FIRST) {
    this.#state = before;
  }

  state(): AdaptiveRateLimitState {
    return this.#state;
  }

  learnedInFlight(): number | null {
    return this.#state.learned;
  }

  /** Until when the learned number lets nothing go, unless a task ends; null where it lets one go now. */
  learnedUntilMs(nowMs: number, inFlight: number): number | null {
    const { learned, lastMs, tryAnywayMs } = this.#state;
    if (learned === null || inFlight < learned) return null;
    return lastMs + tryAnywayMs > nowMs ? lastMs + tryAnywayMs : null;
  }

  /** Until when nothing is sent; null where it is past. */
  closedUntilMs(nowMs: number): number | null {
    return this.#state.closedUntilMs > nowMs ? this.#state.closedUntilMs : null;
  }

  /** @param inFlight with this one. @param isRated whether anybody counts by the clock. */
  granted(nowMs: number, { model, inFlight, isRated }: { model: string; inFlight: number; isRated: boolean }): void {
    const { learned, raiseAfter, isTrying } = this.#state;
    const lastOf = new Map(this.#state.granted.map((one) => [one[1], one]));
    const kept = this.#state.granted.filter((one) => nowMs - one[0] < MINUTE_MS || lastOf.get(one[1]) === one);
    const granted = isRated ? [...kept, [nowMs, model] as const] : [];
    const isAnyway = learned !== null && inFlight > learned;
    const isFull = learned !== null && inFlight >= learned;
    const atLearned = this.#state.atLearned + (isFull ? 1 : 0);
    this.#state = { ...this.#state, granted, atLearned, lastMs: nowMs, isAnyway };
    if (learned === null || (!isAnyway && atLearned < raiseAfter)) return;
    const tried = { atLearned: 0, isTrying: true, triedFrom: learned };
    if (isAnyway) {
      // All that stand in the way may be forgotten at the gateway: as long as it takes this one, they do not count.
      this.#state = { ...this.#state, ...tried, learned: inFlight };
      return;
    }
    // The last raise has held for as long: the next ones may come sooner.
    const sooner = Math.max(learned, isTrying ? Math.floor(raiseAfter / 2) : raiseAfter);
    this.#state = { ...this.#state, ...tried, learned: learned + 1, raiseAfter: sooner };
  }

  /** What was granted was not sent: its place in the rates is another's. */
  ungranted(atMs: number, model: string): void {
    const { granted } = this.#state;
    const index = granted.findIndex((one) => one[0] === atMs && one[1] === model);
    if (index >= 0) this.#state = { ...this.#state, granted: granted.toSpliced(index, 1) };
  }

  /** @param others in flight beside the one that was refused: those the gateway takes. */
  throttled(nowMs: number, others: number, retryAfterMs: number | null): void {
    const { learned, isTrying, triedFrom, raiseAfter, closings, closedUntilMs, isAnyway, tryAnywayMs } = this.#state;
    // What was on the wire when it closed says nothing new of how long it lasts.
    const isNew = nowMs >= closedUntilMs;
    const pauseMs = retryAfterMs ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(closings, 10));
    this.#state = {
      ...this.#state,
      // What was just tried is taken back, whatever else is in flight: that may be what the gateway has long forgotten.
      learned: Math.max(1, Math.min((isTrying ? triedFrom : learned) ?? Infinity, others)),
      raiseAfter: isTrying
        ? Math.min(TRY_RAISE_AFTER.most, Math.max(TRY_RAISE_AFTER.first, raiseAfter * 2))
        : raiseAfter,
      atLearned: 0,
      isTrying: false,
      lastMs: nowMs,
      tryAnywayMs: isAnyway ? Math.min(TRY_ANYWAY_AFTER.mostMs, tryAnywayMs * 2) : tryAnywayMs,
      isAnyway: false,
      closings: isNew ? closings + 1 : closings,
      closedUntilMs: isNew || retryAfterMs !== null ? Math.max(closedUntilMs, nowMs + pauseMs) : closedUntilMs,
    };
  }

  /** A task has ended in good order: the gateway works. */
  ended(): void {
    if (this.#state.closings > 0) this.#state = { ...this.#state, closings: 0 };
  }

  /** The gateway has throttled nothing for so long that nobody asks for turns any more. */
  forget(): void {
    const { granted } = this.#state;
    this.#state = { ...AT_FIRST, granted };
  }

  /** When the rates let the next one go; undefined where they do now. @param model undefined for the whole account. */
  waitUntilMs(nowMs: number, { perSecond, perMinute }: LimitSet, model?: string): number | undefined {
    const times = this.#state.granted.filter((one) => model === undefined || one[1] === model).map(([atMs]) => atMs);
    const instants: number[] = [];
    const last = times.at(-1);
    // One after the other rather than all at the second's beginning.
    if (perSecond !== undefined && last !== undefined) instants.push(last + Math.ceil(1_000 / perSecond));
    const oldest = perMinute === undefined ? undefined : times.at(-perMinute);
    if (oldest !== undefined) instants.push(oldest + MINUTE_MS);
    const untilMs = Math.max(...instants);
    return untilMs > nowMs ? untilMs : undefined;
  }
}
