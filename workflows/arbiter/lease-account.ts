import { counted } from '../../contracts/counted';
import type { ArbiterView, HeldLease, LeaseEnd, LeaseKey, QueuedTask, Survey } from '../../contracts/gateway/arbiter';
import type { LimitSet } from '../../contracts/gateway/limits';
import { AccountCredits, type AccountCreditsState } from './account-credits';
import { LeaseQueue, priorityOf, type QueueState, type Waiting } from './lease-queue';
import { AdaptiveRateLimit, type AdaptiveRateLimitState } from './adaptive-rate-limit';
import { HeldLeases } from './held-leases';
import { attemptKey } from '../take/attempt-key';

/**
 * The leases and waiting requests of an account, and the requests that its limits allow next. Calls no workflow API, so
 * that tests need no server.
 */

const DAY_MS = 24 * 60 * 60_000;

/** A lease that is not used within this time has to be requested again. The time allows for the loss of a worker. */
const USE_WITHIN_MS = 2 * 60_000;

/** An unused lease ends this long after `useByMs`: clocks differ, and a submit may be on its way. */
const GRACE_MS = 30_000;

export interface LeaseAccountState {
  readonly limits: Survey['limits'];
  readonly held: readonly HeldLease[];
  readonly credits: AccountCreditsState;
  /** Keys of the held leases whose submits are unclear. */
  readonly unclear?: readonly string[];
  readonly pace: AdaptiveRateLimitState;
  readonly queue: QueueState;
}

/** The reason why a request waits. `untilMs` is null if time alone does not end the wait. */
interface Block {
  readonly words: string;
  readonly untilMs: number | null;
  /** Whether the reason applies to all requests of the account. */
  readonly isForAll: boolean;
}

export class LeaseAccount {
  readonly #queue: LeaseQueue;
  readonly #pace: AdaptiveRateLimit;
  readonly #credits: AccountCredits;
  readonly #held: HeldLeases;
  #limits: Survey['limits'];

  constructor(before: LeaseAccountState | null) {
    this.#queue = new LeaseQueue(before?.queue);
    this.#pace = new AdaptiveRateLimit(before?.pace);
    this.#credits = new AccountCredits(before?.credits);
    this.#limits = before?.limits ?? { account: {}, models: {} };
    this.#held = new HeldLeases(before?.held ?? [], before?.unclear ?? []);
  }

  /** @param mostWaiting maximum number of requests to keep. */
  state(nowMs: number, mostWaiting: number): LeaseAccountState {
    return {
      limits: this.#limits,
      held: this.#held.all(),
      unclear: this.#held.unclearKeys(),
      credits: this.#credits.state(),
      pace: this.#pace.state(),
      queue: this.#queue.state(nowMs, mostWaiting),
    };
  }

  held(): readonly HeldLease[] {
    return this.#held.all();
  }

  isWaitedFor(): boolean {
    return this.#queue.size() > 0;
  }

  /** True if the request is stale: a later sending of the take has a lease or waits for one. */
  isStale({ takeKey, sending }: LeaseKey): boolean {
    const isLater = (one: LeaseKey): boolean => one.takeKey === takeKey && one.sending > sending;
    for (const one of this.#held.all()) if (isLater(one)) return true;
    for (const one of this.#queue.all()) if (isLater(one)) return true;
    return false;
  }

  ask(one: Waiting): void {
    this.#queue.add(one);
  }

  /** Renews a lease that is held already, so that a repeated request counts once; undefined if it is not held. */
  renewIfHeld(key: LeaseKey, nowMs: number): HeldLease | undefined {
    const held = this.#held.get(key);
    // A lease that is known to have been used stays as it is.
    if (held?.useByMs == null) return held;
    const renewed = { ...held, useByMs: nowMs + USE_WITHIN_MS };
    this.#held.put(renewed);
    return renewed;
  }

  /**
   * Called at each request of a take. Ends the requests and leases of its earlier sendings, except sendings in `still`,
   * which the gateway may have accepted.
   */
  endEarlierSendings({ takeKey, sending }: LeaseKey, still: readonly number[]): void {
    const isOver = (one: LeaseKey): boolean =>
      one.takeKey === takeKey && one.sending < sending && !still.includes(one.sending);
    for (const one of this.#queue.all()) if (isOver(one)) this.#queue.remove(one);
    for (const one of this.#held.all()) if (isOver(one)) this.end({ ...one, how: 'refused', credits: 0 });
  }

  throttled(nowMs: number, retryAfterMs: number | null): void {
    this.#pace.throttled(nowMs, this.#held.clearCount(), retryAfterMs);
  }

  /**
   * Marks an abandoned lease, so that the next survey or check of the ledger decides whether it was used.
   *
   * @returns false if no such lease is held.
   */
  markGivenUp(key: LeaseKey): boolean {
    const held = this.#held.get(key);
    if (held !== undefined) this.#held.put({ ...held, useByMs: 0 });
    return held !== undefined;
  }

  /**
   * Marks a lease for which it is unknown whether the gateway accepted the submit. The lease still counts against the
   * limits that a person has set, but not in the number that is learned from throttling.
   */
  unclear(key: LeaseKey): void {
    this.#held.markUnclear(key);
  }

  /**
   * Ends a lease, and counts the charge if the task has ended. A withdrawn request also leaves the queue. If the lease
   * is not held, nothing else changes.
   */
  end({ takeKey, sending, how, credits }: LeaseEnd): void {
    if (how === 'withdrawn') this.#queue.remove({ takeKey, sending });
    const held = this.#held.get({ takeKey, sending });
    if (held === undefined) return;
    this.#held.remove(held);
    if (how === 'withdrawn') this.#pace.ungranted(held.sinceMs, held.model);
    if (how !== 'ended') return;
    this.#pace.ended();
    this.#credits.charge(held, credits);
  }

  /**
   * Applies the result of a survey.
   *
   * @param asked the leases that were held when the survey began, in their state at that time.
   * @param isNewEpoch true if the survey began an epoch (`Epoch`) that made all earlier leases invalid.
   */
  applySurvey(found: Survey, asked: readonly HeldLease[], isNewEpoch: boolean): void {
    this.#limits = found.limits;
    if (found.force === null) this.#pace.forget();
    for (const one of found.underWay ?? []) if (!this.#held.has(one)) this.#held.put(one);
    if (found.spent !== undefined) this.#credits.replaceSpent(found.spent);
    for (const end of found.ended) this.end(end);
    for (const key of found.unclear ?? []) this.unclear(key);
    const before = new Map(asked.map((one) => [attemptKey(one), one.useByMs]));
    for (const key of found.unsent) {
      const held = this.#held.get(key);
      // If the lease was renewed since the survey began, it may have been used.
      if (held === undefined || held.useByMs !== before.get(attemptKey(key))) continue;
      // An invalid lease can no longer be used. A valid lease counts as unused only if it has expired and the ledger
      // was read after that. If `useByMs` is null, the lease counted as used although nothing was sent: it ends at
      // once.
      const isOver = isNewEpoch || held.useByMs === null || found.asOfMs > held.useByMs + GRACE_MS;
      if (isOver) this.end({ ...key, how: 'withdrawn', credits: 0 });
    }
  }

  /** Grants up to `most` requests that the limits allow, in order. */
  grant(nowMs: number, most: number): readonly { readonly lease: HeldLease; readonly holder: string }[] {
    const granted: { lease: HeldLease; holder: string }[] = [];
    for (const next of this.#queue.inOrder(nowMs)) {
      if (granted.length >= most) break;
      const block = this.#block(next, nowMs);
      if (block?.isForAll === true) break;
      if (block !== undefined) continue;
      const { takeKey, sending, productionId, shotId, take, model, kind, units, deadlineSeconds, holder } = next;
      const lease: HeldLease = {
        ...{ takeKey, sending, productionId, shotId, take, model, kind, units, deadlineSeconds },
        credits: this.#credits.priceOf({ ...next, credits: next.quoted }),
        sinceMs: nowMs,
        useByMs: nowMs + USE_WITHIN_MS,
      };
      this.#queue.take(next);
      this.#held.put(lease);
      this.#pace.granted(nowMs, { model, inFlight: this.#held.clearCount(), isRated: this.#isRated() });
      granted.push({ lease, holder });
    }
    return granted;
  }

  /** The earliest time at which a waiting request may be allowed, if nothing else changes; undefined if none. */
  wakeAtMs(nowMs: number): number | undefined {
    let wakeAtMs: number | undefined;
    for (const one of this.#queue.inOrder(nowMs)) {
      const block = this.#block(one, nowMs);
      const untilMs = block?.untilMs ?? undefined;
      if (untilMs !== undefined && untilMs < (wakeAtMs ?? Infinity)) wakeAtMs = untilMs;
      if (block?.isForAll === true) break;
    }
    return wakeAtMs;
  }

  view(nowMs: number): Omit<ArbiterView, 'isLearning' | 'asking' | 'unreadable'> {
    const closedUntilMs = this.#pace.closedUntilMs(nowMs);
    return {
      limits: this.#limits,
      learnedInFlight: this.#pace.learnedInFlight(),
      closedUntil: closedUntilMs === null ? null : instant(closedUntilMs),
      inFlight: this.#held.count(),
      inFlightByModel: this.#held.countByModel(),
      spentToday: this.#credits.spentOn(nowMs),
      waiting: this.#queue.inOrder(nowMs).map((one): QueuedTask => {
        const { productionId: production, shotId: shot, take, model, group, sinceMs } = one;
        const waitsFor = this.#block(one, nowMs)?.words ?? 'its turn';
        const priority = priorityOf(one, nowMs);
        return { production, shot, take, model, priority, group, since: instant(sinceMs), waitsFor };
      }),
    };
  }

  #block(one: Waiting, nowMs: number): Block | undefined {
    const closedUntilMs = this.#pace.closedUntilMs(nowMs);
    if (closedUntilMs !== null) {
      const words = `the gateway throttled; nothing is sent until ${instant(closedUntilMs)}`;
      return { words, untilMs: closedUntilMs, isForAll: true };
    }
    const untilMs = this.#pace.learnedUntilMs(nowMs, this.#held.clearCount());
    if (untilMs !== null) {
      const words = `${counted(this.#held.clearCount(), 'task is', 'tasks are')} in flight, and the gateway lately accepted at most ${this.#pace.learnedInFlight() ?? 0} at once`;
      return { words, untilMs, isForAll: true };
    }
    const ofModel = this.#limits.models[one.model];
    return (
      this.#blockBy(this.#limits.account, one, nowMs, undefined) ??
      (ofModel === undefined ? undefined : this.#blockBy(ofModel, one, nowMs, one.model))
    );
  }

  /** @param model undefined for the limits of the whole account. */
  #blockBy(limits: LimitSet, one: Waiting, nowMs: number, model: string | undefined): Block | undefined {
    const isForAll = model === undefined;
    const of = isForAll ? '' : ` of ${model}`;
    const held = this.#held.count(model);
    const { inFlight, creditsPerDay } = limits;
    if (inFlight !== undefined && held >= inFlight) {
      return {
        words: `${counted(held, `task${of} is`, `tasks${of} are`)} in flight, of at most ${inFlight}`,
        untilMs: null,
        isForAll,
      };
    }
    const untilMs = this.#pace.waitUntilMs(nowMs, limits, model);
    if (untilMs !== undefined)
      return { words: `the rate${of} allows the next submit at ${instant(untilMs)}`, untilMs, isForAll };
    if (creditsPerDay === undefined) return undefined;
    let left = creditsPerDay - this.#credits.spentOn(nowMs, model);
    for (const other of this.#held.all()) {
      if (isForAll || other.model === model) left -= this.#credits.priceOf(other) ?? Infinity;
    }
    const price = this.#credits.priceOf({ ...one, credits: one.quoted });
    if (price === null ? left > 0 : price <= left) return undefined;
    const words = `it needs ${price === null ? 'an unknown number of credits' : counted(price, 'credit')}, and ${Math.max(0, left)} of ${creditsPerDay}${of} are left today`;
    // A cheaper request may still fit.
    return { words, untilMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS, isForAll: false };
  }

  #isRated(): boolean {
    const sets = [this.#limits.account, ...Object.values(this.#limits.models)];
    return sets.some(({ perSecond, perMinute }) => perSecond !== undefined || perMinute !== undefined);
  }
}

/** Whether the holder may still use the lease; false if the lease is known to have been used. */
export function mayBeUsed({ useByMs }: HeldLease, nowMs: number): boolean {
  return useByMs !== null && nowMs <= useByMs + GRACE_MS;
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
