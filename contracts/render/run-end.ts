import { type BatchStatus, waitsAlone } from './batch';
import { onlyPeopleCanGoOn, type ProductionStatus } from '../status';

/**
 * Outcome of a scheduled run's production or batch, as its schedule sees it.
 *
 * `waiting`: only people can continue it. `had`: it had ended before `awaitRun` first looked at it, or its outcome is
 * unknown.
 */
export type RunEnd =
  | { readonly state: 'completed' | 'cancelled' | 'waiting' | 'had' }
  | { readonly state: 'incomplete'; readonly reason: string };

export function endOfProduction({ state, reason }: ProductionStatus): RunEnd {
  return state === 'completed' || state === 'cancelled' ? { state } : { state: 'incomplete', reason: reason ?? state };
}

/**
 * A running production's outcome for its schedule: `waiting` if shots wait for people, none renders, and the film is
 * not being assembled. A pause alone does not count as waiting.
 */
export function outcomeSoFar(status: ProductionStatus): RunEnd | 'under-way' {
  return status.assembly !== 'running' && onlyPeopleCanGoOn(status) ? { state: 'waiting' } : 'under-way';
}

/** An ended batch's outcome for its schedule. A batch also ends when only people can continue its rows. */
export function endOfBatch(status: BatchStatus): RunEnd {
  const { state, reason, counts, open } = status;
  if (state === 'completed' || state === 'cancelled') return { state };
  if (waitsAlone(status)) return { state: 'waiting' };
  return { state: 'incomplete', reason: reason ?? `${counts.completed} of ${open} rows completed` };
}
