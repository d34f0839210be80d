import { z } from 'zod';
import { OutputKind } from '../gateway/models';
import { Quote, QuoteSum } from '../money/quote';

/**
 * The plan of a render, as `dailies plan --json` prints it. Other programs depend on it: fields are added, never
 * changed.
 */

/** A parameter in which two requests of a shot differ, usually the request of a take and the present one. */
export const Change = z.strictObject({
  /** Name of the parameter, or `model`, or `workflow`. */
  parameter: z.string(),
  /** Files as `sha256:<hash>` or address, frames of shots as `last frame of dawn`. Null if there is no value. */
  from: z.json(),
  to: z.json(),
});
export type Change = z.infer<typeof Change>;

export const ShotAction = z.enum([
  /** Its take is in the store. */
  'reused',
  /** Its task was accepted, or its submit is under way; the output is collected when the task has ended. */
  'collected',
  /** It has no take yet. */
  'new',
  /** Its request differs from its take's. */
  'changed',
  /** It uses a frame, picture or text of a shot that has, gets or may get another take. */
  'stale',
  /** Its newest take of the present request failed, was refused or given up, or is unclear and may be sent again. */
  'again',
  /** It waits for a person: `dailies resolve`. */
  'waits',
  /**
   * A person left it out, or it failed in the render under way and has `onFailure: skip`. The film lacks it.
   * `dailies resolve ID SHOT --resubmit` revokes a person's decision.
   */
  'skipped',
  /** It failed in the render under way, which does not try it again; the next render does. */
  'failed',
  /** It uses a frame, picture or text of a shot that is skipped, failed or blocked, so it is not rendered. */
  'blocked',
]);
export type ShotAction = z.infer<typeof ShotAction>;

export const ShotPlan = z.strictObject({
  shot: z.string(),
  action: ShotAction,
  /**
   * The take that the action is about. For `changed` and `stale`, the take that the present request is compared with.
   * Null for `new` and `blocked`.
   */
  take: z.int().positive().nullable(),
  /** The linked shots because of which the shot is stale or blocked. */
  through: z.array(z.string()),
  /**
   * Shots that wait for a decision or approval, and on which this shot depends directly or through shots that do not
   * wait. Until they continue, nothing is paid for this shot.
   */
  heldBy: z.array(z.string()),
  /** Differences from `take`. Also empty if only the way in which Dailies builds the request has changed. */
  changes: z.array(Change),
  /** Why it is tried again, waits, is collected again, failed, or was left out. */
  reason: z.string().nullable(),
  /** Price of one take; null if none is to be paid for. */
  quote: Quote.nullable(),
  /** Kind of its output. Absent from plans of earlier versions. */
  makes: OutputKind.exactOptional(),
  newTakes: z.int().nonnegative(),
  /** Whether it needs an approval that has not been given. Shots that use its output wait for the approval. */
  review: z.boolean(),
  /**
   * How a `Direction` (a person's change or the file's fallback) changes the file's request. Empty if it only asks for
   * the same request once more. Null if the shot has no direction, or if the file's request is unknown.
   */
  directed: z.array(Change).nullable(),
  /**
   * How the present request differs from the take that a person chose, if that take is of an earlier request. Empty if
   * only `FrozenShot.variant` differs. Null if no person chose a take, or if the chosen take is of the present request.
   */
  chosenOver: z.array(Change).nullable(),
  /** `deadline`: the direction is the file's fallback. Absent: it is a person's, or there is none. */
  directedBy: z.literal('deadline').exactOptional(),
  /** `file`: a skipped shot was left out by `onFailure: skip`. Absent: a person left it out, or it is not skipped. */
  leftOutBy: z.literal('file').exactOptional(),
});
export type ShotPlan = z.infer<typeof ShotPlan>;

/**
 * Why the film is assembled, or why it is not.
 *
 * `none`: the production has no earlier film. `lost`: the film's bytes are not in the store. `missing`: a shot is not
 * rendered, though nobody left it out.
 */
export const FilmReason = z.enum([
  'clips',
  'captions',
  'transition',
  'title',
  'music',
  'subtitles',
  'output',
  'none',
  'lost',
  'missing',
]);
export type FilmReason = z.infer<typeof FilmReason>;

export const FilmPlan = z.strictObject({
  /** `none` if there is nothing to assemble or a shot is missing. Assembly costs nothing. */
  action: z.enum(['reused', 'anew', 'none']),
  because: z.array(FilmReason),
});
export type FilmPlan = z.infer<typeof FilmPlan>;

export const RenderPlan = z.strictObject({
  production: z.string(),
  title: z.string(),
  /** The account whose takes and prices are used. */
  account: z.string(),
  /** In the order of the film. */
  shots: z.array(ShotPlan),
  film: FilmPlan,
  /** Sum for the takes that are to be paid for. */
  quote: QuoteSum,
  /**
   * The production's budget, and what is left of it, in credits; null if there is none. `over`: what is spent and
   * reserved beyond the budget, for example after it was lowered; absent if nothing is.
   */
  budget: z.strictObject({ credits: z.number(), left: z.number(), over: z.number().exactOptional() }).nullable(),
  /** Whether a render of the production has begun and not ended. False if Temporal no longer runs its workflow. */
  underWay: z.boolean(),
  /**
   * Whether this render continues the one under way: both have the same frozen production and the same rules, or this
   * one revises it. If false, a new render is refused while another one is running.
   */
  joins: z.boolean(),
  /** Shots whose direction no longer applies, since their entry in the file has changed. */
  lapsed: z.array(z.string()),
  /**
   * Unclear takes of shots that get new takes. If the gateway accepted an unclear take, it charges for that take
   * too. Absent if there are none.
   */
  unclear: z.array(z.strictObject({ shot: z.string(), take: z.int().positive() })).exactOptional(),
});
export type RenderPlan = z.infer<typeof RenderPlan>;
