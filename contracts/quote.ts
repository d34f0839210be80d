import { z } from 'zod';

/** What a task may be charged whose kind has no price, by other resolutions and lengths of its model. */
const QuoteEstimate = z.strictObject({
  /** For the whole task. It goes upwards, and may still be too low. */
  credits: z.number(),
  /** The highest price known that it rests on, of the same model; `credits` a unit. */
  from: z.strictObject({
    resolution: z.string().nullable(),
    unit: z.enum(['second', 'task']),
    credits: z.number(),
  }),
});

/**
 * What one task would be charged, by what tasks of its kind were: the same model, resolution and unit of pay. It is no
 * promise; the gateway decides. Other programs rely on it: fields are added, never changed.
 */
export const Quote = z.strictObject({
  /** Id of the model. */
  model: z.string(),
  /** In lower case; null where the task has none. */
  resolution: z.string().nullable(),
  /** Length that is paid for; null where a task of this kind is paid for whatever its length. */
  seconds: z.number().positive().nullable(),
  /** Null where nobody knows. `low` and `high` differ where tasks of this kind were charged differently. */
  credits: z.strictObject({ low: z.number(), high: z.number() }).nullable(),
  /** Who knows it: takes of this account, or the configuration's table; null where nobody does. */
  source: z.enum(['ledger', 'table']).nullable(),
  /** How many takes it was learned from, the newest ones; 0 where it was not. */
  takes: z.int().nonnegative(),
  /** Only where nobody knows the price and one of the same model can be compared. */
  estimate: QuoteEstimate.exactOptional(),
});
export type Quote = z.infer<typeof Quote>;

/** The sum of quotes, by the highest price of each; `credits` counts those that are known. */
export const QuoteSum = z.strictObject({
  tasks: z.int().nonnegative(),
  credits: z.number(),
  /** Tasks that nobody knows the price of: they are not in `credits`. */
  unknown: z.int().nonnegative(),
  /** What those of them come to that have an estimate; absent where none has. */
  estimated: z.strictObject({ tasks: z.int().positive(), credits: z.number() }).exactOptional(),
});
export type QuoteSum = z.infer<typeof QuoteSum>;
