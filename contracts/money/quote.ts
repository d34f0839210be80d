import { z } from 'zod';

/** Price estimate of a task without a known price, based on the model's prices for other resolutions or units. */
const QuoteEstimate = z.strictObject({
  /** For the whole task. A cautious estimate that may still be too low. */
  credits: z.number(),
  /** The known price that the estimate is based on. Its `credits` are per unit. */
  from: z.strictObject({
    resolution: z.string().nullable(),
    unit: z.enum(['second', 'task']),
    credits: z.number(),
  }),
});

/**
 * The expected price of one task. It is based on earlier charges for the same model, resolution and unit, or else on
 * the price table. The gateway decides the charge.
 *
 * Other programs depend on quotes: fields are added, never changed.
 */
export const Quote = z.strictObject({
  model: z.string(),
  /** In lower case; null if the task has none. */
  resolution: z.string().nullable(),
  /** Length that the price is for; null if the price is unknown or does not depend on the length. */
  seconds: z.number().positive().nullable(),
  /** Null if unknown. `low` and `high` differ if tasks of this kind were charged differently. */
  credits: z.strictObject({ low: z.number(), high: z.number() }).nullable(),
  /** `ledger`: charges of this account's takes. `table`: the price table. Null if the price is unknown. */
  source: z.enum(['ledger', 'table']).nullable(),
  /** Number of takes whose charges determine the price; 0 if it is unknown or comes from the price table. */
  takes: z.int().nonnegative(),
  /** Present only if the price is unknown and another price of the same model can be compared. */
  estimate: QuoteEstimate.exactOptional(),
});
export type Quote = z.infer<typeof Quote>;

/** Sum of quotes. A price range counts with its high end. `credits` counts known prices only. */
export const QuoteSum = z.strictObject({
  tasks: z.int().nonnegative(),
  credits: z.number(),
  /** Tasks without a known price. They are not in `credits`. */
  unknown: z.int().nonnegative(),
  /** Sum of the estimates for tasks without a known price; absent if there are none. */
  estimated: z.strictObject({ tasks: z.int().positive(), credits: z.number() }).exactOptional(),
});
export type QuoteSum = z.infer<typeof QuoteSum>;
