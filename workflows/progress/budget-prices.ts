import type { Reservation } from '../../contracts/money/budget';
import { exactCredits } from '../../contracts/money/credits';
import {
  estimatePrice,
  higherEstimate,
  type KnownRate,
  type PriceEstimate,
  type TaskKind,
} from '../../contracts/money/price-estimate';

/** The expected charge of a submit. `estimate` is null if the price is known. */
export interface Price {
  readonly credits: number;
  readonly estimate: PriceEstimate | null;
}

type Priced = Pick<Reservation, 'kind' | 'units' | 'quoted' | 'taskKind' | 'estimate'>;

/** The prices that a production's budget knows: charges that takes have reported, and rates from the ledger. */
export class BudgetPrices {
  /** The highest reported charge per unit, by `Reservation.kind`. */
  readonly #reported = new Map<string, { readonly credits: number; readonly taskKind: TaskKind | undefined }>();
  /** By shot id: the rates in the ledger, one for each `TaskKind`. */
  readonly #fromLedger = new Map<string, readonly KnownRate[]>();

  /** Records the charge of a completed take as a rate per unit. */
  hear({ kind, units, taskKind }: Priced, credits: number): void {
    const rate = Math.max(this.#reported.get(kind)?.credits ?? 0, credits / units);
    this.#reported.set(kind, { credits: rate, taskKind });
  }

  /** Replaces a shot's rates by those in the ledger. */
  note(shotId: string, rates: readonly KnownRate[]): void {
    this.#fromLedger.set(shotId, rates);
  }

  /** The highest known price, or else an estimate. Null if no price is known from which to estimate one. */
  of(priced: Priced): Price | null {
    const { kind, units, quoted } = priced;
    const rate = this.#reported.get(kind)?.credits;
    if (rate !== undefined) return { credits: exactCredits(Math.max(rate * units, quoted ?? 0)), estimate: null };
    if (quoted !== null) return { credits: quoted, estimate: null };
    const estimate = this.#estimate(priced);
    return estimate === undefined ? null : { credits: estimate.credits, estimate };
  }

  #estimate({ units, taskKind, estimate }: Priced): PriceEstimate | undefined {
    if (taskKind === undefined) return estimate;
    const heard = [...this.#reported.values()].flatMap(({ credits, taskKind: of }) =>
      of === undefined ? [] : { kind: of, credits },
    );
    return higherEstimate(
      estimate,
      estimatePrice(taskKind, units, [...heard, ...[...this.#fromLedger.values()].flat()]),
    );
  }
}
