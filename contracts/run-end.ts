import { type BatchStatus, waitsAlone } from './batch';
import { onlyPeopleCanGoOn, type ProductionStatus } from './status';

/** How the production or batch of a scheduled run stands, as its schedule sees it. */
export type RunEnd =
  | { readonly state: 'completed' | 'cancelled' | 'waiting' | 'had' }
  | { readonly state: 'incomplete'; readonly reason: string };

export function endOfProduction({ state, reason }: ProductionStatus): RunEnd {
  return state === 'completed' || state === 'cancelled' ? { state } : { state: 'incomplete', reason: reason ?? state };
}

/** While it runs: whether only people can go on. One that a person has paused counts as under way. */
export function standingOf(status: ProductionStatus): RunEnd | 'under-way' {
  return status.assembly !== 'running' && onlyPeopleCanGoOn(status) ? { state: 'waiting' } : 'under-way';
}

/** It ends by itself where only people can go on. */
export function endOfBatch(status: BatchStatus): RunEnd {
  const { state, reason, counts, open } = status;
  if (state === 'completed' || state === 'cancelled') return { state };
  if (waitsAlone(status)) return { state: 'waiting' };
  return { state: 'incomplete', reason: reason ?? `${counts.completed} of ${open} rows completed` };
}
