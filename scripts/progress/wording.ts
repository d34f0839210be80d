import { type ProductionStatus, type ShotStatus } from '../../contracts/status';

/** What is known of a shot, in a few words; without anything that changes by the clock. */
export function shotInWords({ state, reason, parked, takes }: ShotStatus): string {
  const take = takes.at(-1);
  const task = take?.taskId == null ? '' : `take ${take.take}, task ${take.taskId}`;
  const why = reason ?? '';
  switch (state) {
    case 'pending':
      return 'waits';
    case 'rendering':
      return `${task === '' ? 'starts' : `renders (${task})`}${why === '' ? '' : `; ${why}`}`;
    case 'completed':
      return `completed (${[task, clip(take?.asset?.durationSeconds ?? null), cost(take?.credits ?? null)].filter(Boolean).join(', ')})`;
    case 'parked':
      return `parked${parked === null ? '' : ` (${parked.for})`}: ${why}`;
    default:
      // A reason may begin with the state itself.
      return why.startsWith(`${state}: `) ? why : `${state}${why === '' ? '' : `: ${why}`}`;
  }
}

/** Where the film stands; empty as long as there is nothing to say. */
export function filmInWords({ assembly, film, reason }: ProductionStatus): string {
  switch (assembly) {
    case 'running':
      return 'is being assembled';
    case 'completed':
      return `completed${film?.durationSeconds == null ? '' : ` (${film.durationSeconds.toFixed(1)} s)`}`;
    case 'failed':
      return reason ?? 'failed';
    case 'waiting':
    case 'none':
      return '';
  }
}

function clip(durationSeconds: number | null): string {
  return durationSeconds === null ? '' : `${durationSeconds.toFixed(1)} s`;
}

function cost(credits: number | null): string {
  return credits === null ? '' : `${credits} credits`;
}
