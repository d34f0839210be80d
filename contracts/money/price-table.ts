import { z } from 'zod';

/**
 * A person's own price list. It applies to kinds of tasks that the store has no charge for yet. The configuration reads
 * the list from a JSON file.
 */

const Credits = z.number().nonnegative();

/** One price for all resolutions, or one for each. Resolutions are compared without regard to case. */
const ByResolution = z.union([Credits, z.record(z.string().min(1), Credits)]);

const ModelPrice = z.union([
  /** Credits per requested second of clip. */
  z.strictObject({ perSecond: ByResolution }),
  z.strictObject({ perTask: ByResolution }),
]);
export type ModelPrice = z.infer<typeof ModelPrice>;

/** By the model's id, title or workflow name. */
export const PriceTable = z.record(z.string().min(1), ModelPrice);
export type PriceTable = z.infer<typeof PriceTable>;
