import type { HeldLease, Spent } from '../../contracts/gateway/arbiter';

/**
 * Prices of the tasks of an account, and the credits that were charged today (UTC). Calls no workflow API, so that
 * tests need no server.
 */

/** Maximum number of task kinds whose prices are kept. */
const MOST_KINDS = 200;

export interface AccountCreditsState {
  readonly spent: Spent;
  /** Highest charge per unit, by kind of task. */
  readonly rates: readonly (readonly [kind: string, credits: number])[];
}

export class AccountCredits {
  readonly #rates: Map<string, number>;
  #spent: Spent;

  constructor({ spent, rates }: AccountCreditsState = { spent: { day: '', byModel: {} }, rates: [] }) {
    this.#rates = new Map(rates);
    this.#spent = spent;
  }

  state(): AccountCreditsState {
    return { spent: this.#spent, rates: [...this.#rates] };
  }

  /** The highest charge to expect: the quote or the learned price, whichever is higher; null if neither is known. */
  priceOf({ credits, kind, units }: Pick<HeldLease, 'credits' | 'kind' | 'units'>): number | null {
    const rate = this.#rates.get(kind);
    const learned = rate === undefined ? null : rate * units;
    return credits === null || learned === null ? (credits ?? learned) : Math.max(credits, learned);
  }

  /**
   * Counts a charge.
   *
   * @param credits null if the gateway reported none. Then the expected price counts, or 0 if no price is known.
   */
  charge(lease: HeldLease, credits: number | null): void {
    const { model, kind, units } = lease;
    if (credits !== null && units > 0) this.#learn(kind, credits / units);
    const day = dayOf(Date.now());
    const byModel = this.#spent.day === day ? this.#spent.byModel : {};
    const charged = credits ?? this.priceOf(lease) ?? 0;
    this.#spent = { day, byModel: { ...byModel, [model]: (byModel[model] ?? 0) + charged } };
  }

  /** Replaces the day's charges by those in the ledger. */
  replaceSpent(spent: Spent): void {
    this.#spent = spent;
  }

  /** @param model undefined for the whole account. */
  spentOn(nowMs: number, model?: string): number {
    if (this.#spent.day !== dayOf(nowMs)) return 0;
    if (model !== undefined) return this.#spent.byModel[model] ?? 0;
    return Object.values(this.#spent.byModel).reduce((sum, credits) => sum + credits, 0);
  }

  /** Keeps the highest rate of a kind. Above `MOST_KINDS`, the kind that was charged least recently is dropped. */
  #learn(kind: string, rate: number): void {
    const highest = Math.max(rate, this.#rates.get(kind) ?? 0);
    this.#rates.delete(kind);
    this.#rates.set(kind, highest);
    const [oldest] = this.#rates.keys();
    if (this.#rates.size > MOST_KINDS && oldest !== undefined) this.#rates.delete(oldest);
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
