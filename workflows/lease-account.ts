import type { ArbiterView, HeldLease, LeaseEnd, LeaseKey, QueuedTask, Spent, Survey } from '../contracts/arbiter';
import type { LimitSet } from '../contracts/limits';
import { LeaseQueue, priorityOf, type QueueState, type Waiting } from './lease-queue';
import { Pace, type PaceState } from './pace';
import { keyOf } from './sending-key';

/**
 * What an account has in flight, what waits, and what the limits let go next. Pure, so that it is tested without a
 * server.
 */

const DAY_MS = 24 * 60 * 60_000;

/** Whoever has not used a lease by then asks again: time enough for a worker that is lost in between. */
const USE_WITHIN_MS = 2 * 60_000;

/** A lease is over so long after its time to use it: clocks differ, and a request may just be on its way. */
const GRACE_MS = 30_000;

/** Prices that are learned, by kind of task. */
const MOST_KINDS = 200;

export interface LeaseAccountState {
  readonly limits: Survey['limits'];
  readonly held: readonly HeldLease[];
  readonly spent: Spent;
  /** Highest charge a unit, by kind of task. */
  readonly rates: readonly (readonly [kind: string, credits: number])[];
  readonly pace: PaceState;
  readonly queue: QueueState;
}

/** Why one has to wait; `untilMs` where the clock alone ends it. */
interface Block {
  readonly words: string;
  readonly untilMs: number | null;
  /** Whether it holds for the whole account. */
  readonly isForAll: boolean;
}

export class LeaseAccount {
  readonly #queue: LeaseQueue;
  readonly #pace: Pace;
  readonly #held: Map<string, HeldLease>;
  readonly #rates: Map<string, number>;
  #limits: Survey['limits'];
  #spent: Spent;

  constructor(before: LeaseAccountState | null) {
    this.#queue = new LeaseQueue(before?.queue);
    this.#pace = new Pace(before?.pace);
    this.#held = new Map(before?.held.map((one) => [keyOf(one), one]));
    this.#rates = new Map(before?.rates);
    this.#limits = before?.limits ?? { account: {}, models: {} };
    this.#spent = before?.spent ?? { day: '', byModel: {} };
  }

  /** @param mostWaiting kept of the queue. */
  state(nowMs: number, mostWaiting: number): LeaseAccountState {
    return {
      limits: this.#limits,
      held: [...this.#held.values()],
      spent: this.#spent,
      rates: [...this.#rates],
      pace: this.#pace.state(),
      queue: this.#queue.state(nowMs, mostWaiting),
    };
  }

  held(): readonly HeldLease[] {
    return [...this.#held.values()];
  }

  isWaitedFor(): boolean {
    return this.#queue.size() > 0;
  }

  ask(one: Waiting): void {
    // It has been granted, and its holder has not sent by that: it is answered again.
    if (this.#held.has(keyOf(one))) return;
    this.#queue.add(one);
  }

  /** Whether what is asked for was granted and not sent: a lease that is given once more counts once. */
  again(key: LeaseKey, nowMs: number): HeldLease | undefined {
    const held = this.#held.get(keyOf(key));
    if (held === undefined) return undefined;
    const renewed = { ...held, useByMs: nowMs + USE_WITHIN_MS };
    this.#held.set(keyOf(key), renewed);
    return renewed;
  }

  /** Ends the leases for other sendings of a take than those that may be at the gateway. */
  keepOnly(takeKey: string, sendings: readonly number[]): void {
    for (const one of this.#held.values()) {
      if (one.takeKey === takeKey && !sendings.includes(one.sending)) this.end({ ...one, how: 'refused', credits: 0 });
    }
  }

  throttled(nowMs: number, retryAfterMs: number | null): void {
    this.#pace.throttled(nowMs, this.#held.size, retryAfterMs);
  }

  /** Its time to be used is over; the next survey tells whether it was. False where nothing is held for it. */
  doubt(key: LeaseKey): boolean {
    const held = this.#held.get(keyOf(key));
    if (held !== undefined) this.#held.set(keyOf(key), { ...held, useByMs: 0 });
    return held !== undefined;
  }

  /** What is not held is not ended twice. */
  end({ takeKey, sending, how, credits }: LeaseEnd): void {
    if (how === 'withdrawn') this.#queue.remove({ takeKey, sending });
    const held = this.#held.get(keyOf({ takeKey, sending }));
    if (held === undefined) return;
    this.#held.delete(keyOf(held));
    if (how !== 'ended') return;
    this.#pace.ended();
    const { model, kind, units } = held;
    if (credits !== null && units > 0) this.#learn(kind, credits / units);
    // Where nobody says what it was charged, it may have been what was kept for it.
    this.#charge(model, credits ?? this.#priceOf(held) ?? 0);
  }

  /** Takes over what the store knows. */
  survey({ limits, force, ended, unsent, underWay, spent }: Survey, nowMs: number, isNewEpoch: boolean): void {
    this.#limits = limits;
    if (force === null) this.#pace.forget();
    for (const end of ended) this.end(end);
    for (const key of unsent) {
      const useByMs = this.#held.get(keyOf(key))?.useByMs ?? null;
      // What another epoch has granted cannot be sent any more; what this one has, not when its time is over.
      if (isNewEpoch || useByMs === null || nowMs > useByMs + GRACE_MS) this.#held.delete(keyOf(key));
    }
    for (const one of underWay ?? []) this.#held.set(keyOf(one), one);
    if (spent !== undefined) this.#spent = spent;
  }

  /** Grants whatever may go now, in turn. */
  grant(nowMs: number): readonly { readonly lease: HeldLease; readonly holder: string }[] {
    const granted: { lease: HeldLease; holder: string }[] = [];
    for (let next = this.#next(nowMs); next !== undefined; next = this.#next(nowMs)) {
      const { takeKey, sending, productionId, shotId, take, model, kind, units, deadlineSeconds, holder } = next;
      const lease: HeldLease = {
        ...{ takeKey, sending, productionId, shotId, take, model, kind, units, deadlineSeconds },
        credits: this.#priceOf({ ...next, credits: next.quoted }),
        sinceMs: nowMs,
        useByMs: nowMs + USE_WITHIN_MS,
      };
      this.#queue.take(next);
      this.#held.set(keyOf(lease), lease);
      this.#pace.granted(nowMs, { model, inFlight: this.#held.size, isRated: this.#isRated() });
      granted.push({ lease, holder });
    }
    return granted;
  }

  /** When the clock alone lets something go; undefined where it does not. */
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

  view(nowMs: number): ArbiterView {
    const closedUntilMs = this.#pace.closedUntilMs(nowMs);
    const inFlightByModel: Record<string, number> = {};
    for (const { model } of this.#held.values()) inFlightByModel[model] = (inFlightByModel[model] ?? 0) + 1;
    return {
      limits: this.#limits,
      learnedInFlight: this.#pace.learnedInFlight(),
      closedUntil: closedUntilMs === null ? null : instant(closedUntilMs),
      inFlight: this.#held.size,
      inFlightByModel,
      spentToday: this.#spentOn(nowMs),
      waiting: this.#queue.inOrder(nowMs).map((one): QueuedTask => {
        const { productionId: production, shotId: shot, take, model, group, sinceMs } = one;
        const waitsFor = this.#block(one, nowMs)?.words ?? 'its turn';
        const priority = priorityOf(one, nowMs);
        return { production, shot, take, model, priority, group, since: instant(sinceMs), waitsFor };
      }),
    };
  }

  #next(nowMs: number): Waiting | undefined {
    for (const one of this.#queue.inOrder(nowMs)) {
      const block = this.#block(one, nowMs);
      if (block === undefined) return one;
      if (block.isForAll) return undefined;
    }
    return undefined;
  }

  #block(one: Waiting, nowMs: number): Block | undefined {
    const closedUntilMs = this.#pace.closedUntilMs(nowMs);
    if (closedUntilMs !== null) {
      const words = `the gateway asked for no more until ${instant(closedUntilMs)}`;
      return { words, untilMs: closedUntilMs, isForAll: true };
    }
    const untilMs = this.#pace.learnedUntilMs(nowMs, this.#held.size);
    if (untilMs !== null) {
      const words = `${this.#held.size} tasks are in flight, and the gateway throttled more than ${this.#pace.learnedInFlight() ?? 0}`;
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
    const held = [...this.#held.values()].filter((other) => isForAll || other.model === model);
    const { inFlight, creditsPerDay } = limits;
    if (inFlight !== undefined && held.length >= inFlight) {
      return { words: `${held.length} tasks${of} are in flight, of at most ${inFlight}`, untilMs: null, isForAll };
    }
    const untilMs = this.#pace.waitUntilMs(nowMs, limits, model);
    if (untilMs !== undefined)
      return { words: `the rate${of} allows the next at ${instant(untilMs)}`, untilMs, isForAll };
    if (creditsPerDay === undefined) return undefined;
    const left =
      creditsPerDay -
      this.#spentOn(nowMs, model) -
      held.reduce((sum, other) => sum + (this.#priceOf(other) ?? Infinity), 0);
    const price = this.#priceOf({ ...one, credits: one.quoted });
    if (price === null ? left > 0 : price <= left) return undefined;
    const words = `it needs ${price ?? 'an unknown number of'} credits, and ${Math.max(0, left)} of ${creditsPerDay}${of} are left today`;
    // Something smaller may fit.
    return { words, untilMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS, isForAll: false };
  }

  #isRated(): boolean {
    const sets = [this.#limits.account, ...Object.values(this.#limits.models)];
    return sets.some(({ perSecond, perMinute }) => perSecond !== undefined || perMinute !== undefined);
  }

  #priceOf({ credits, kind, units }: Pick<HeldLease, 'credits' | 'kind' | 'units'>): number | null {
    const rate = this.#rates.get(kind);
    const learned = rate === undefined ? null : rate * units;
    return credits === null || learned === null ? (credits ?? learned) : Math.max(credits, learned);
  }

  #learn(kind: string, rate: number): void {
    if (rate <= (this.#rates.get(kind) ?? -1)) return;
    this.#rates.set(kind, rate);
    const [oldest] = this.#rates.keys();
    if (this.#rates.size > MOST_KINDS && oldest !== undefined) this.#rates.delete(oldest);
  }

  #charge(model: string, credits: number): void {
    const day = instant(Date.now()).slice(0, 10);
    const byModel = this.#spent.day === day ? this.#spent.byModel : {};
    this.#spent = { day, byModel: { ...byModel, [model]: (byModel[model] ?? 0) + credits } };
  }

  #spentOn(nowMs: number, model?: string): number {
    if (this.#spent.day !== instant(nowMs).slice(0, 10)) return 0;
    if (model !== undefined) return this.#spent.byModel[model] ?? 0;
    return Object.values(this.#spent.byModel).reduce((sum, credits) => sum + credits, 0);
  }
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
