import { z } from 'zod';
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
  /** The shots through whose links it is stale. */
  through: z.array(z.string()),
  /** What is not as in `take`. Empty also where a version of Dailies has come to ask otherwise. */
  changes: z.array(Change),
  /** Why it is tried again, waits, or has to be collected anew. */
  reason: z.string().nullable(),
  /** Present where a take is to be paid for. */
  quote: Quote.nullable(),
});
export type ShotPlan = z.infer<typeof ShotPlan>;

/** Why the film is put together anew. `none`: it never was, of these clips. `lost`: its bytes are not in the store. */
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
]);
export type FilmReason = z.infer<typeof FilmReason>;

export const FilmPlan = z.strictObject({
  /** `none` where the production has nothing to put together. Putting it together costs nothing. */
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
  /** What the takes that are to be paid for come to, one a shot. */
  quote: QuoteSum,
  /** A render of it has begun and has not ended, as far as the store knows: it runs, or was interrupted. */
  underWay: z.boolean(),
});
export type RenderPlan = z.infer<typeof RenderPlan>;
