import { completedTakes } from '../../contracts/commands';
import type { TakeProgress } from '../../contracts/render/take';
import type { Parked, ShotProgress } from '../../contracts/workflows';

/** Summarizes the takes of a shot as the shot's state. Pure, so that it can be tested without a server. */

export type ShotSummary = Pick<
  ShotProgress,
  'state' | 'reason' | 'parkedFor' | 'parkedTakes' | 'waitsForBudget' | 'takesUnderWay' | 'reviewTakes' | 'filmTake'
>;

export interface TakesOfShot {
  /** All takes that this workflow run knows, by take number. */
  readonly takes: ReadonlyMap<number, TakeProgress>;
  /** Calls of `runTake` that have not ended, by `sibling`. The value is the parked take; null if none is parked. */
  readonly open: ReadonlyMap<number, Parked | null>;
  readonly choice: { readonly take: TakeProgress; readonly isInReview: boolean } | null;
}

export function summaryOf({ takes, open, choice }: TakesOfShot): ShotSummary {
  const parked = [...open.values()].filter((one) => one !== null).toSorted((a, b) => a.take.take - b.take.take);
  const takesUnderWay = open.size - parked.length;
  const filmTake = choice?.take.take ?? null;
  const chosen = { reason: null, parkedFor: null, waitsForBudget: false, takesUnderWay, filmTake };
  if (choice?.isInReview === true) {
    // The reason names the parked takes, since they may still complete and be chosen.
    const reason = parked.length === 0 ? null : parked.map(inWords).join('; ');
    return { ...chosen, state: 'review', reason, reviewTakes: completedTakes({ takes: [...takes.values()] }) };
  }
  if (choice !== null) return { ...chosen, state: 'rendering' };
  // Prefer a take that needs a person: a take that waits for the budget may continue by itself.
  const first = parked.find((one) => one.for !== 'budget') ?? parked[0];
  // While a take is under way, the shot may still continue without the parked takes.
  if (first === undefined || takesUnderWay > 0) return { ...chosen, state: 'rendering' };
  const waitsForBudget = parked.some((one) => one.for === 'budget');
  const reason = parked.length === 1 ? first.reason : parked.map(inWords).join('; ');
  return { ...chosen, state: 'parked', reason, parkedFor: first.for, ...namedTakes(takes, parked), waitsForBudget };
}

/** The parked takes, if a decision must name its take: several are parked, or the parked take is not the newest. */
function namedTakes(takes: TakesOfShot['takes'], parked: readonly Parked[]): Pick<ShotSummary, 'parkedTakes'> {
  const newest = Math.max(...takes.keys());
  if (parked.length === 1 && parked[0]?.take.take === newest) return {};
  return { parkedTakes: parked.map(({ take, for: parkedFor }) => ({ take: take.take, for: parkedFor })) };
}

/** Leaves out the budget's figures, which change with every charge. The production shows them. */
function inWords({ take, for: why, reason }: Parked): string {
  return `take ${take.take}: ${why === 'budget' ? 'waits for the budget' : reason}`;
}
