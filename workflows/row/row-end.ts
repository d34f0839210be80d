import type { RowEnd, RowOutcome, RowPlace } from '../../contracts/render/batch';
import { exactCredits } from '../../contracts/money/credits';
import { chargesOf, type ProductionStatus, type ShotStatus } from '../../contracts/status';
import type { Parked, TakeOutcome } from '../../contracts/workflows';
import type { ParkedFor } from '../../contracts/render/decision';
import { timestamp } from '../temporal/clock';
import type { TimedTask } from './timed-task';

/** Converts the outcome of a row's workflow to the `RowOutcome` that its batch counts and records. */

const NOTHING = { reason: null, parkedFor: null, take: null, taskId: null, credits: null, asset: null } as const;

export function endOfTask({ state, reason, take, output, fallback }: TakeOutcome): RowOutcome {
  return {
    ...NOTHING,
    state,
    reason,
    take: take?.take ?? null,
    taskId: take?.taskId ?? null,
    credits: take?.credits ?? null,
    asset: output?.asset ?? null,
    ...(fallback === undefined ? {} : { fallback }),
  };
}

export function parkOfTask(
  { for: parkedFor, reason, take }: Parked,
  { isByFallback }: Pick<TimedTask, 'isByFallback'>,
): RowOutcome {
  const { taskId, credits } = take;
  const end = { ...NOTHING, state: 'parked', parkedFor, reason, take: take.take, taskId, credits } as const;
  return isByFallback() ? { ...end, fallback: true } : end;
}

/** A production that ends as incomplete counts as a failed row. */
export function endOfProduction(status: ProductionStatus): RowOutcome {
  const { state, film, readyBy } = status;
  const hasFallenBack = (readyBy?.fallback ?? []).length > 0;
  const fallback = hasFallenBack ? { fallback: true as const } : {};
  const end = { ...NOTHING, credits: creditsOf(status), asset: film, ...fallback };
  if (state === 'completed' || state === 'cancelled') return { ...end, state, reason: status.reason };
  return { ...end, state: 'failed', reason: status.reason ?? whatIsMissing(status) };
}

/**
 * The outcome of a production that waits for people. If several shots wait, the outcome names one of them, in this
 * order: lacking credits, failed (both may stop the batch), unclear (may have been charged), any other.
 */
export function parkOfProduction(status: ProductionStatus): RowOutcome {
  const waiting = status.shots.filter(({ parked, review }) => parked !== null || review !== null);
  const parkedFor = (reason: ParkedFor): ShotStatus | undefined => waiting.find(({ parked }) => parked?.for === reason);
  const shot = parkedFor('credits') ?? parkedFor('failed') ?? parkedFor('unclear') ?? waiting[0];
  const end = { ...NOTHING, state: 'parked', credits: creditsOf(status) } as const;
  if (shot === undefined) return end;
  return {
    ...end,
    parkedFor: shot.parked?.for ?? null,
    reason: `${shot.id}: ${shot.reason ?? 'waits for an approval'}`,
  };
}

/** End of a row whose workflow was terminated, failed, or could not be started. */
export function brokenEnd(reason: string): RowOutcome {
  return { ...NOTHING, state: 'failed', reason };
}

/** End of a row whose workflow ended without a report, if the row is not started again. */
export function lostEnd(): RowOutcome {
  return { ...NOTHING, state: 'cancelled', reason: 'its workflow had ended; the ledger has what it paid for' };
}

/** End of a row that is not started because the batch drains. */
export function notStartedEnd(): RowOutcome {
  return { ...NOTHING, state: 'cancelled', reason: 'the batch was cancelled before the row was started' };
}

/**
 * In characters. A gateway's message may be pages long, and continue-as-new passes on hundreds of reasons at once.
 */
const LONGEST_REASON = 300;

/** Builds the record of a row's end, with the workflow's time. */
export function endOfRow({ key, digest }: Pick<RowPlace, 'key' | 'digest'>, outcome: RowOutcome): RowEnd {
  return { key, digest, ...outcome, reason: shortReason(outcome), at: timestamp() };
}

/** Whether a row is parked for the same kind of reason as in its last report, with the same take. */
export function isSameEnd(end: RowOutcome, outcome: RowOutcome): boolean {
  return end.parkedFor === outcome.parkedFor && end.take === outcome.take && end.taskId === outcome.taskId;
}

/** Whether a parked row repeats its last report. The reason of a parked production also names the shot that waits. */
export function isSamePark(end: RowOutcome, outcome: RowOutcome): boolean {
  return isSameEnd(end, outcome) && shortReason(end) === shortReason(outcome);
}

function shortReason({ reason }: RowOutcome): string | null {
  return reason?.slice(0, LONGEST_REASON) ?? null;
}

function creditsOf({ shots }: ProductionStatus): number | null {
  const known = shots.flatMap(chargesOf);
  return known.length === 0 ? null : exactCredits(known.reduce((sum, credits) => sum + credits, 0));
}

function whatIsMissing({ shots }: ProductionStatus): string | null {
  const missing = shots.find(({ state }) => state !== 'completed');
  return missing === undefined ? null : `${missing.id}: ${missing.reason ?? missing.state}`;
}
