import { counted } from '../../contracts/counted';
import { type ManifestShot } from '../../contracts/manifest';
import { type TakeProgress } from '../../contracts/render/take';
import { chosenTakeOf, type ProductionStatus, type ShotStatus, waitsForPersonSince } from '../../contracts/status';

/** The words for a shot that has no task under way yet. Shown for a moment if the shot reuses a take. */
export const STARTS = 'starts';

/** The state of a shot in a few words. The text has no elapsed time, so it changes only with the status. */
export function shotInWords(shot: ShotStatus): string {
  const { state, reason, parked, takes } = shot;
  const why = reason ?? '';
  switch (state) {
    case 'pending':
      return 'waits';
    case 'rendering':
      return `${renderingInWords(takes)}${why === '' ? '' : `; ${why}`}`;
    case 'completed': {
      const take = chosenTakeOf(shot) ?? takes.at(-1);
      return `completed (${[taskInWords(take), clip(take?.asset?.durationSeconds ?? null), cost(take?.credits ?? null)].filter(Boolean).join(', ')})${why === '' ? '' : `; ${why}`}`;
    }
    case 'review':
      return `waits for your approval: ${reviewedTakesInWords(shot)}${why === '' ? '' : `; ${why}`}`;
    case 'parked':
      return `parked${parked === null ? '' : ` (${parked.for})`}: ${why}`;
    default:
      // The reason may already begin with the state.
      return why.startsWith(`${state}: `) ? why : `${state}${why === '' ? '' : `: ${why}`}`;
  }
}

/** The duration of a shot so far, without the time that it waited for people; null before it starts. */
export function elapsedSeconds(
  shot: Pick<ShotStatus, 'startedAt' | 'endedAt' | 'parked' | 'review' | 'waitedSeconds'>,
  nowMs: number,
): number | null {
  const { startedAt, endedAt, waitedSeconds = 0 } = shot;
  if (startedAt === null) return null;
  const until = endedAt ?? waitsForPersonSince(shot);
  const lastedMs = (until === null ? nowMs : Date.parse(until)) - Date.parse(startedAt);
  return Math.max(0, Math.round(lastedMs / 1_000 - waitedSeconds));
}

/**
 * The takes of a completed shot that still run and may be charged, such as `; under way: take 2`. Empty if there are
 * none. `dailies status` adds this text to the shot's state. The progress display does not, because it prints a shot
 * whenever the shot's text changes.
 */
export function underWayInWords({ state, takes }: Pick<ManifestShot, 'state' | 'takes'>): string {
  if (state !== 'completed') return '';
  const underWay = takes.filter(isUnderWay);
  const named = underWay.map(({ take, taskId }) => `take ${take}${taskId === null ? '' : ` (task ${taskId})`}`);
  return named.length === 0 ? '' : `; under way: ${named.join(', ')}`;
}

/** The state of the film; empty before its assembly starts, or if no film is made. */
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

/** Names only a take under way: `takes` may also have takes of an earlier request. */
function renderingInWords(takes: readonly TakeProgress[]): string {
  const task = taskInWords(takes.findLast(isUnderWay));
  return task === '' ? STARTS : `renders (${task})`;
}

function isUnderWay({ state }: Pick<TakeProgress, 'state'>): boolean {
  return state === 'rendering' || state === 'submitting';
}

function taskInWords(take: TakeProgress | undefined): string {
  return take?.taskId == null ? '' : `take ${take.take}, task ${take.taskId}`;
}

/** The takes of a shot that can be approved, such as `take 1 chosen, take 2; 1 more under way`. */
function reviewedTakesInWords({ takes, filmTake, review }: ShotStatus): string {
  const completed = takes
    .filter(({ take, state }) => state === 'completed' && review?.takes?.includes(take) !== false)
    .toSorted((a, b) => a.take - b.take);
  const named = completed.map(
    ({ take }) => `take ${take}${take === filmTake && completed.length > 1 ? ' chosen' : ''}`,
  );
  const more = review?.takesUnderWay ?? 0;
  return `${named.join(', ')}${more === 0 ? '' : `; ${more} more under way`}`;
}

function clip(durationSeconds: number | null): string {
  return durationSeconds === null ? '' : `${durationSeconds.toFixed(1)} s`;
}

function cost(credits: number | null): string {
  return credits === null ? '' : counted(credits, 'credit');
}
