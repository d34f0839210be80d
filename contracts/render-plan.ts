import { z } from 'zod';
import { OutputKind } from './models';
import { Quote, QuoteSum } from './quote';

/**
 * What a render would do, as `dailies plan --json` prints it. Other programs rely on it: fields are added, never
 * changed.
 */

/** A difference between what a take was asked for and what is asked for now; null where a side has none. */
export const Change = z.strictObject({
  /** Name of the parameter, or `model`, or `workflow`. */
  parameter: z.string(),
  /** Files by `sha256:<hash>` or address, frames of shots as `last frame of dawn`. */
  from: z.json(),
  to: z.json(),
});
export type Change = z.infer<typeof Change>;

export const ShotAction = z.enum([
  /** Its take is in the store. */
  'reused',
  /** Its task is accepted and paid for: it is awaited and collected. */
  'collected',
  /** It has no take yet. */
  'new',
  /** Something that is sent is not as in its take. */
  'changed',
  /** It starts on a frame of a shot that gets another take. */
  'stale',
  /** Its newest take of the same ask failed or was refused. */
  'again',
  /** It waits for a person: `dailies resolve`. */
  'waits',
  /** A person left it out, and `dailies resolve ID SHOT --resubmit` takes that back. The film closes the gap. */
  'skipped',
  /** It failed in the render under way, which does not try it again; the next one does. */
  'failed',
  /** It starts on a frame of a shot that is skipped, failed or blocked, and so is not rendered. */
  'blocked',
]);
export type ShotAction = z.infer<typeof ShotAction>;

export const ShotPlan = z.strictObject({
  shot: z.string(),
  action: ShotAction,
  /**
   * The take that is reused, collected, waited for or tried again; for one that is changed or stale, the take that it
   * is compared with. Null for a new one.
   */
  take: z.int().positive().nullable(),
  /** The shots through whose links it is stale or blocked. */
  through: z.array(z.string()),
  /** The shots that wait for a person's decision or approval, and that it comes after: it is paid for once they are decided, if at all. */
  heldBy: z.array(z.string()),
  /** What is not as in `take`. Empty also where a version of Dailies has come to ask otherwise. */
  changes: z.array(Change),
  /** Why it is tried again, waits, has to be collected anew, failed, or was left out. */
  reason: z.string().nullable(),
  /** Present where a take is to be paid for: the price of one. */
  quote: Quote.nullable(),
  /** What it makes. Absent where an earlier version planned it. */
  makes: OutputKind.exactOptional(),
  /** How many takes are to be paid for. */
  newTakes: z.int().nonnegative(),
  /** Whether it waits for an approval, and with it all that starts on its frames. */
  review: z.boolean(),
  /** What a person has directed to be otherwise than in the file; null where nothing is. Empty: the same once more. */
  directed: z.array(Change).nullable(),
  /**
   * Where a person has chosen a take that was asked for otherwise: what another take would be asked for instead. Empty:
   * the same once more. Null where the take is of what the shot asks for.
   */
  chosenOver: z.array(Change).nullable(),
  /** `deadline`: not a person, but the file's own fallback. Absent where a person has, or nobody. */
  directedBy: z.literal('deadline').exactOptional(),
});
export type ShotPlan = z.infer<typeof ShotPlan>;

/**
 * Why the film is put together anew, or not at all. `none`: it never was, of these clips. `lost`: its bytes are not in
 * the store. `missing`: a shot that nobody left out is not rendered.
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
  /** `none` where there is nothing to put together, or a shot is missing. Putting it together costs nothing. */
  action: z.enum(['reused', 'anew', 'none']),
  because: z.array(FilmReason),
});
export type FilmPlan = z.infer<typeof FilmPlan>;

export const RenderPlan = z.strictObject({
  production: z.string(),
  title: z.string(),
  /** Whose takes and prices. */
  account: z.string(),
  /** In the order of the film. */
  shots: z.array(ShotPlan),
  film: FilmPlan,
  /** What the takes that are to be paid for come to. */
  quote: QuoteSum,
  /** What is left of the production's budget, in credits; null where it has none. */
  budget: z.strictObject({ credits: z.number(), left: z.number() }).nullable(),
  /** A render of it has begun and has not ended, as far as the store knows: it runs, or was interrupted. */
  underWay: z.boolean(),
  /** That render is of the very same production: another one joins it, where else it is refused until that has ended. */
  joins: z.boolean(),
  /** The shots that were directed otherwise, and whose entry in the file has changed since: the file counts. */
  lapsed: z.array(z.string()),
});
export type RenderPlan = z.infer<typeof RenderPlan>;
