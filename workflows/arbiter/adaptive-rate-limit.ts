import type { LimitSet } from '../../contracts/gateway/limits';

/**
 * How fast submits go: by the rates that a person has set, and by what the gateway's throttling teaches. Pure, so that
 * it can be tested without a server.
 */

const MINUTE_MS = 60_000;

/** Pause after a 429 without Retry-After. It doubles with each 429 until a task ends. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Number of submits before a raise that was throttled at once is tried again; doubled each time. */
const TRY_RAISE_AFTER = { first: 100, most: 1_600 };

/**
 * If the learned number allows nothing for this long, one more submit is tried, since the places may belong to tasks
 * that will never be heard of. Doubled after a try that was throttled.
 */
const TRY_ANYWAY_AFTER = { firstMs: 30_000, mostMs: 60 * 60_000 };

/** State that survives continue-as-new. Times are in milliseconds. */
export interface AdaptiveRateLimitState {
  /** The number in flight that the gateway is known to accept; null if it has not throttled. */
  readonly learned: number | null;
  /** Submits at that number before one more is tried. */
  readonly raiseAfter: number;
  readonly atLearned: number;
  /** Whether the last change was a raise that is not confirmed yet. */
  readonly isTrying: boolean;
  /** The number before the last raise; null if there was none. */
  readonly triedFrom: number | null;
  /** Time of the last submit or 429. */
  readonly lastMs: number;
  readonly tryAnywayMs: number;
  /** Whether the last submit exceeded the learned number, because nothing had gone for long. */
  readonly isAnyway: boolean;
  readonly closedUntilMs: number;
  /** Consecutive pauses without the end of a task. */
  readonly closings: number;
  /** The submits of the last minute, and the last one of each model, since a rate may be one in many minutes. */
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

  /** Until when the learned number allows nothing, unless a task ends; null if it allows a submit now. */
  learnedUntilMs(nowMs: number, inFlight: number): number | null {
    const { learned, lastMs, tryAnywayMs } = this.#state;
    if (learned === null || inFlight < learned) return null;
    return lastMs + tryAnywayMs > nowMs ? lastMs + tryAnywayMs : null;
  }

  /** Until when nothing is sent; null if that time has passed. */
  closedUntilMs(nowMs: number): number | null {
    return this.#state.closedUntilMs > nowMs ? this.#state.closedUntilMs : null;
  }

  /** @param inFlight including this one. @param isRated whether any limit is a rate. */
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
      // The gateway may have forgotten the other tasks. As long as it accepts this one, they do not count.
      this.#state = { ...this.#state, ...tried, learned: inFlight };
      return;
    }
    // The last raise has held for as many submits, so the next ones may come sooner.
    const sooner = Math.max(learned, isTrying ? Math.floor(raiseAfter / 2) : raiseAfter);
    this.#state = { ...this.#state, ...tried, learned: learned + 1, raiseAfter: sooner };
  }

  /** Removes a submit that was granted but not sent from the rates. */
  ungranted(atMs: number, model: string): void {
    const { granted } = this.#state;
    const index = granted.findIndex((one) => one[0] === atMs && one[1] === model);
    if (index >= 0) this.#state = { ...this.#state, granted: granted.toSpliced(index, 1) };
  }

  /** @param others number in flight beside the refused one, which the gateway accepts. */
  throttled(nowMs: number, others: number, retryAfterMs: number | null): void {
    const { learned, isTrying, triedFrom, raiseAfter, closings, closedUntilMs, isAnyway, tryAnywayMs } = this.#state;
    // Requests that were on their way when the pause began do not lengthen it.
    const isNew = nowMs >= closedUntilMs;
    const pauseMs = retryAfterMs ?? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(closings, 10));
    this.#state = {
      ...this.#state,
      // A raise that was being tried is reverted, whatever else is in flight: the gateway may have forgotten those
      // tasks.
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

  /** A task has ended normally, so the gateway works. */
  ended(): void {
    if (this.#state.closings > 0) this.#state = { ...this.#state, closings: 0 };
  }

  /** Resets what was learned: the gateway has not throttled for so long that leases are no longer needed. */
  forget(): void {
    const { granted } = this.#state;
    this.#state = { ...AT_FIRST, granted };
  }

  /**
   * When the rates allow the next submit; undefined if they do now.
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
