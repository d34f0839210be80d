import type { KnownRate, PriceEstimate, TaskKind } from './price-estimate';

/** The words in which takes and productions speak of a budget. Credits are what the gateway charges. */

/** What a production may cost, over all its renders. */
export interface ProductionBudget {
  readonly credits: number;
}

/** Allows one sending of one take, and those that follow it where it was surely refused. */
export interface Permit {
  readonly takeKey: string;
  /** Counts from 1 within the take. */
  readonly sending: number;
}

/** A sending that has to be allowed, as far as its price goes. */
export interface Reservation extends Permit {
  readonly shotId: string;
  /** Names what tasks have in common that are priced alike. */
  readonly kind: string;
  /** Seconds of clip that are asked for, or 1 task. */
  readonly units: number;
  /** The highest price of the account's newest takes of the kind, or the table's; null where neither knows one. */
  readonly quoted: number | null;
  /** What `kind` names; absent where an older version asked, or the take's records cannot be read. */
  readonly taskKind?: TaskKind;
  /** Only where `quoted` is null, and a price of the same model can be compared. */
  readonly estimate?: PriceEstimate;
}

/** A sending that the gateway may charge, or has charged without saying what. */
export interface OpenSending extends Reservation {
  /** `sent`: nobody has seen its end. `ended`: its task has ended, and the gateway has told no price. */
  readonly standing: 'sent' | 'unclear' | 'ended';
}

/** What the ledger has of a shot's money. */
export interface ShotSpending {
  /** By the gateway's own figures. */
  readonly charged: number;
  /** Keys of the newest takes that were: each is settled once. Of older ones nothing is heard any more. */
  readonly chargedTakes: readonly string[];
  readonly open: readonly OpenSending[];
  /** The highest charge of each kind that its completed takes have; absent where an older version tells. */
  readonly rates?: readonly KnownRate[];
}

/** The same for all shots of a production that ever sent anything, by id. */
export type ProductionSpending = Readonly<Record<string, ShotSpending>>;

/** Where a budget stands. */
export interface BudgetFigures {
  readonly credits: number;
  /** By the gateway's own figures, in all renders. */
  readonly spent: number;
  /** For what is under way, unclear, or has ended without a price. */
  readonly reserved: number;
  /** The part of `reserved` of which nobody can say whether it is charged. */
  readonly unclear: number;
  /** The part of `reserved` that is held for tasks whose price nobody knows, and whose; absent where there is none. */
  readonly unpriced?: { readonly credits: number; readonly shots: readonly string[] };
}

/** What a shot tells its production of a sending. */
export interface ReservationNews {
  readonly reservation: Reservation;
  /** The run that tells it. */
  readonly runId: string;
  /** `held`: it was allowed by a run of the production that was reset. `withdrawn`: it will not be sent. */
  readonly wish: 'asked' | 'held' | 'withdrawn';
}

/** What the production answers; it answers again once it allows what it has not. */
export interface ReservationAnswer extends Permit {
  /** Null where it may be sent. */
  readonly waitsFor: string | null;
}
