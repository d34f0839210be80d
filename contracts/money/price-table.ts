import { z } from 'zod';

/**
 * Prices for kinds of tasks that the store has no charge for yet. The configuration reads a person's own table from a
 * JSON file. The sandbox has its own table.
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
