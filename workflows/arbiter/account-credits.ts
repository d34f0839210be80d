import type { HeldLease, Spent } from '../../contracts/arbiter';

/** What the tasks of an account cost and have cost today. Pure, so that it is tested without a server. */

/** Prices that are learned, by kind of task. */
const MOST_KINDS = 200;

export interface AccountCreditsState {
  readonly spent: Spent;
  /** Highest charge a unit, by kind of task. */
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

  /** What it may be charged, by its quote or by what its kind was charged, the higher one; null where nobody knows. */
  priceOf({ credits, kind, units }: Pick<HeldLease, 'credits' | 'kind' | 'units'>): number | null {
    const rate = this.#rates.get(kind);
    const learned = rate === undefined ? null : rate * units;
    return credits === null || learned === null ? (credits ?? learned) : Math.max(credits, learned);
  }

  /** @param credits null where nobody says: then it may have been what was kept for it. */
  charge(lease: HeldLease, credits: number | null): void {
    const { model, kind, units } = lease;
    if (credits !== null && units > 0) this.#learn(kind, credits / units);
    const day = dayOf(Date.now());
    const byModel = this.#spent.day === day ? this.#spent.byModel : {};
    const charged = credits ?? this.priceOf(lease) ?? 0;
    this.#spent = { day, byModel: { ...byModel, [model]: (byModel[model] ?? 0) + charged } };
  }

  /** What the ledger has is the truth. */
  know(spent: Spent): void {
    this.#spent = spent;
  }

  /** @param model undefined for the whole account. */
  spentOn(nowMs: number, model?: string): number {
    if (this.#spent.day !== dayOf(nowMs)) return 0;
    if (model !== undefined) return this.#spent.byModel[model] ?? 0;
    return Object.values(this.#spent.byModel).reduce((sum, credits) => sum + credits, 0);
  }

  #learn(kind: string, rate: number): void {
    if (rate <= (this.#rates.get(kind) ?? -1)) return;
    this.#rates.set(kind, rate);
    const [oldest] = this.#rates.keys();
    if (this.#rates.size > MOST_KINDS && oldest !== undefined) this.#rates.delete(oldest);
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
