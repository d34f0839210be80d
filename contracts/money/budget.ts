import type { KnownRate, PriceEstimate, TaskKind } from './price-estimate';

/** Messages between takes and productions about a budget. Credits are what the gateway charges. */

/** What a production may cost, over all its renders. */
export interface ProductionBudget {
  readonly credits: number;
}

/** Allows one sending of a take. If the gateway surely refuses a sending, the permit also allows the next one. */
export interface Permit {
  readonly takeKey: string;
  /** Counts from 1 within the take. */
  readonly sending: number;
}

/** A sending that needs a permit, with the facts that determine its price. */
export interface Reservation extends Permit {
  readonly shotId: string;
  /** Key of the task's kind. Tasks of one kind have the same price per unit. */
  readonly kind: string;
  /** Requested seconds of a clip if its price depends on them; otherwise 1. */
  readonly units: number;
  /** The task's highest price, from the account's newest takes of its kind or else the price table; null if unknown. */
  readonly quoted: number | null;
  /** The task's kind, in parts. Absent from older versions, or if the take's records cannot be read. */
  readonly taskKind?: TaskKind;
  /** Estimate from the model's known prices of other kinds. Present only if `quoted` is null. */
  readonly estimate?: PriceEstimate;
}

/** A sending that the gateway may charge, or has charged without reporting the price. */
export interface OpenSending extends Reservation {
  /**
   * `sent`: no end of its task is known. `unclear`: the gateway may have accepted it. `ended`: its task has ended, and
   * its full charge is unknown.
   */
  readonly standing: 'sent' | 'unclear' | 'ended';
}

/** A shot's charges and open sendings in the ledger. */
export interface ShotSpending {
  /** Sum of the gateway's own figures. */
  readonly charged: number;
  /** Keys of the newest charged takes: later news about them is ignored. Older takes send no more news. */
  readonly chargedTakes: readonly string[];
  readonly open: readonly OpenSending[];
  /** The highest charge per unit of each kind among completed takes. Absent from older versions. */
  readonly rates?: readonly KnownRate[];
}

/** A production's charges and open sendings by shot id, for all shots that ever sent anything. */
export type ProductionSpending = Readonly<Record<string, ShotSpending>>;

export interface BudgetFigures {
  readonly credits: number;
  /** Sum of the gateway's own figures in all renders. */
  readonly spent: number;
  /** Reserved for tasks that are under way, unclear, or ended without a price. */
  readonly reserved: number;
  /** The part of `reserved` for sendings that may or may not be charged. */
  readonly unclear: number;
  /** The part of `reserved` for tasks with neither price nor estimate; `shots`: the tasks' shots. Absent if none. */
  readonly unpriced?: { readonly credits: number; readonly shots: readonly string[] };
}

/** News that a shot sends to its production about a sending. */
export interface ReservationNews {
  readonly reservation: Reservation;
  /** The run of the shot's workflow that sends the news. */
  readonly runId: string;
  /** `held`: allowed before the production was reset or continued as new. `withdrawn`: surely costs nothing. */
  readonly wish: 'asked' | 'held' | 'withdrawn';
}

/** The production's answer. A sending that has to wait is answered again when it is allowed. */
export interface ReservationAnswer extends Permit {
  /** Reason to wait; null if the task may be sent. */
  readonly waitsFor: string | null;
}
