import type { AssetRef } from './asset';

/** Why a shot is parked. */
export const PARKED_FOR = [
  /** Nobody can say whether the gateway accepted the task. */
  'unclear',
  /** The task has not ended by its deadline. */
  'overdue',
  /** The account has no credits left; surely not accepted. */
  'credits',
  /** The task is paid for, and what it left could not be brought home. */
  'uncollected',
  /** The gateway failed the task, and no further take is due by itself. */
  'failed',
  /** It does not fit the production's budget; surely not sent. */
  'budget',
] as const;
export type ParkedFor = (typeof PARKED_FOR)[number];

/** What is no question of money, and so is passed over where the file's `onFailure` says so. */
export const PASSED_OVER: ReadonlySet<ParkedFor> = new Set(['failed', 'overdue', 'uncollected']);

/** How a parked shot goes on. */
export type Decision =
  /** The gateway did accept it, under this task id. */
  | { readonly kind: 'adopt'; readonly taskId: string }
  /** Pay for it (again). `unread`: even if the gateway cannot tell now whether the task has ended. */
  | { readonly kind: 'resubmit'; readonly unread?: boolean }
  | { readonly kind: 'skip' }
  /** Use this clip of the person's own. */
  | { readonly kind: 'use'; readonly asset: AssetRef }
  /** Wait for the task once more as long, or try once more to bring home what it left. */
  | { readonly kind: 'wait' };

/** A policy decides only what the production file allowed it to. */
export type DecidedBy = 'person' | 'policy';

/** Which decisions answer which park. */
export const ANSWERS: Readonly<Record<ParkedFor, readonly Decision['kind'][]>> = {
  unclear: ['adopt', 'resubmit', 'skip', 'use'],
  overdue: ['wait', 'resubmit', 'skip', 'use'],
  credits: ['resubmit', 'skip', 'use'],
  uncollected: ['wait', 'resubmit', 'skip', 'use'],
  failed: ['resubmit', 'skip', 'use'],
  budget: ['skip', 'use'],
};

/**
 * What becomes of a shot whose tasks have failed, do not end, or cannot be brought home. What is unclear, or short of
 * credits, is never passed over: money hangs on it.
 */
export type OnFailure = 'park' | 'skip' | 'fail';

/** What happens by itself to a take that is unclear. */
export type OnUnclear = 'park' | 'resubmit';
