import type { LimitSet } from '../../contracts/gateway/limits';

/**
 * Decides when the next submit may be sent. Three limits apply: the rates that a person has set, the pauses after 429s,
 * and the learned number of tasks in flight that the gateway accepts. 429s lower that number. Pure, so that it can be
 * tested without a server.
 */

const MINUTE_MS = 60_000;

/** Pause after a 429 without Retry-After. Each further pause is twice as long, until a task ends. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Bounds of `raiseAfter` after a 429 has undone a raise of the learned number. Each such 429 doubles `raiseAfter`
 * within these bounds.
 */
const TRY_RAISE_AFTER = { first: 100, most: 1_600 };

/**
 * If the learned number allows no submit for this long, one more is sent: the tasks in flight may be lost and never
 * report their ends. The time doubles when the gateway throttles such a submit.
 */
const TRY_ANYWAY_AFTER = { firstMs: 30_000, mostMs: 60 * 60_000 };

/** State that survives continue-as-new. Times are in milliseconds. */
export interface AdaptiveRateLimitState {
  /** Number of tasks in flight that the gateway probably accepts; null if none was learned. */
  readonly learned: number | null;
  /** The learned number is raised after this many submits that reach it. */
  readonly raiseAfter: number;
  /** Submits that reached the learned number since the last raise or 429. */
  readonly atLearned: number;
  /** Whether `learned` was raised after the last 429. */
  readonly isTrying: boolean;
  /** The value of `learned` before the last raise; null if there was none. */
  readonly triedFrom: number | null;
  /** Time of the last submit or 429. */
  readonly lastMs: number;
  readonly tryAnywayMs: number;
  /** Whether the last submit exceeded the learned number (`TRY_ANYWAY_AFTER`). */
  readonly isAnyway: boolean;
  readonly closedUntilMs: number;
  /** Number of pauses since a task last ended. */
  readonly closings: number;
  /**
   * The submits of the last minute, and the last submit of each model, since `perSecond` may allow less than one submit
   * per minute. Empty if no limit is a rate.
   */
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

  /**
   * The time until which the learned number allows no submit, unless a task ends earlier; null if it allows a submit
   * now.
   */
  learnedUntilMs(nowMs: number, inFlight: number): number | null {
    const { learned, lastMs, tryAnywayMs } = this.#state;
    if (learned === null || inFlight < learned) return null;
    return lastMs + tryAnywayMs > nowMs ? lastMs + tryAnywayMs : null;
  }

  /** The end of the current pause; null if there is no pause. */
  closedUntilMs(nowMs: number): number | null {
    return this.#state.closedUntilMs > nowMs ? this.#state.closedUntilMs : null;
  }

  /**
   * Records a submit, and raises the learned number if a raise is due.
   *
   * @param inFlight number of tasks in flight, including this submit.
   * @param isRated whether any limit is a rate.
   */
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
      // This submit exceeds `learned`, because some tasks in flight may be lost. Try `inFlight` as the learned number.
      this.#state = { ...this.#state, ...tried, learned: inFlight };
      return;
    }
    // If the last raise has held for `raiseAfter` submits, the next raise needs half as many, but at least `learned`.
    const sooner = Math.max(learned, isTrying ? Math.floor(raiseAfter / 2) : raiseAfter);
    this.#state = { ...this.#state, ...tried, learned: learned + 1, raiseAfter: sooner };
  }

  /** Removes a granted submit from the rates, because it was not sent. */
  ungranted(atMs: number, model: string): void {
    const { granted } = this.#state;
    const index = granted.findIndex((one) => one[0] === atMs && one[1] === model);
    if (index >= 0) this.#state = { ...this.#state, granted: granted.toSpliced(index, 1) };
  }

  /**
   * Records a 429: begins a pause or may lengthen the current one, and sets the learned number.
   *
   * @param others number of the other tasks in flight, which count as accepted.
   * @param retryAfterMs null if the gateway named no delay.
   */
  throttled(nowMs: number, others: number, retryAfterMs: number | null): void {
    const { learned, isTrying, triedFrom, raiseAfter, closings, closedUntilMs, isAnyway, tryAnywayMs } = this.#state;
    // A 429 during a pause answers a submit sent before it. Its Retry-After may lengthen the pause; no new one starts.
    const isNew = nowMs >= closedUntilMs;
    const pauseMs = retryAfterMs ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(closings, 10));
    this.#state = {
      ...this.#state,
      // A 429 after a raise undoes the raise, even if `others` is above `triedFrom`: some of these tasks may be lost.
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

  /** Resets the length of pauses: a task has ended, so the gateway works. */
  ended(): void {
    if (this.#state.closings > 0) this.#state = { ...this.#state, closings: 0 };
  }

  /** Resets all but `granted`. Call it when no limits apply and the gateway has not throttled for a long time. */
  forget(): void {
    const { granted } = this.#state;
    this.#state = { ...AT_FIRST, granted };
  }

  /**
   * The time at which the rates allow the next submit; undefined if they allow it now.
   *
   * @param model undefined for the whole account.
   */
  waitUntilMs(nowMs: number, { perSecond, perMinute }: LimitSet, model?: string): number | undefined {
    const times = this.#state.granted.filter((one) => model === undefined || one[1] === model).map(([atMs]) => atMs);
    const instants: number[] = [];
    const last = times.at(-1);
    // Submits are spread over the second instead of sent together at its start.
    if (perSecond !== undefined && last !== undefined) instants.push(last + Math.ceil(1_000 / perSecond));
    const oldest = perMinute === undefined ? undefined : times.at(-perMinute);
    if (oldest !== undefined) instants.push(oldest + MINUTE_MS);
    const untilMs = Math.max(...instants);
    return untilMs > nowMs ? untilMs : undefined;
  }
}
