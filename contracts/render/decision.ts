import type { AssetRef } from '../asset';

/** Why a shot is parked. */
export const PARKED_FOR = [
  /** The gateway may or may not have accepted the task. */
  'unclear',
  /** The task has not ended by its deadline. */
  'overdue',
  /** The account has no credits left; the task was certainly not accepted. */
  'credits',
  /** The take's output could not be collected, or is lost. */
  'uncollected',
  /** The gateway failed the task, and no further take is made automatically. */
  'failed',
  /** The task does not fit the production's budget; it was certainly not sent. */
  'budget',
] as const;
export type ParkedFor = (typeof PARKED_FOR)[number];

export interface ParkedTake {
  readonly take: number;
  readonly for: ParkedFor;
}

/** Reasons for parking that the file's `onFailure` covers. */
export const PASSED_OVER: ReadonlySet<ParkedFor> = new Set(['failed', 'overdue', 'uncollected']);

/** How a parked shot continues. */
export type Decision =
  /** The gateway accepted the task under this id. */
  | { readonly kind: 'adopt'; readonly taskId: string }
  /** Send and pay again. `unread`: even if the earlier task cannot be read, or if its output can now be collected. */
  | { readonly kind: 'resubmit'; readonly unread?: boolean }
  | { readonly kind: 'skip' }
  /** Use this clip of the user's own. */
  | { readonly kind: 'use'; readonly asset: AssetRef }
  /** Give the task another deadline, or try again to collect its output. */
  | { readonly kind: 'wait' };

/** `policy`: decided by the production file's `onUnclear: resubmit`. */
export type DecidedBy = 'person' | 'policy';

/** The decisions that are allowed for each reason to park. */
export const ANSWERS: Readonly<Record<ParkedFor, readonly Decision['kind'][]>> = {
  unclear: ['adopt', 'resubmit', 'skip', 'use'],
  overdue: ['wait', 'resubmit', 'skip', 'use'],
  credits: ['resubmit', 'skip', 'use'],
  uncollected: ['wait', 'resubmit', 'skip', 'use'],
  failed: ['resubmit', 'skip', 'use'],
  budget: ['skip', 'use'],
};

/** Detail of a refusal: the take is not parked, or not yet. */
export const NOT_PARKED = 'not-parked';

/** Detail of a refusal: a take is chosen, or all takes have ended, so the shot needs no more decisions. */
export const NOT_AWAITED = 'not-awaited';

/**
 * How a shot continues if its task failed or is overdue, or if the task's output could not be collected.
 *
 * `onFailure` does not apply to shots that are unclear or lack credits or budget, since money depends on the decision.
 */
export type OnFailure = 'park' | 'skip' | 'fail';

/** Whether an unclear take waits for a person (`park`) or is sent again automatically. */
export type OnUnclear = 'park' | 'resubmit';
