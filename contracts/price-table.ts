import { z } from 'zod';

/**
 * What tasks cost by a person's own account: for models of which the ledger has no charge yet. The configuration reads
 * it from a JSON file.
 */

const Credits = z.number().nonnegative();

/** One price for every resolution, or one for each; the spelling of a resolution does not count for its case. */
const ByResolution = z.union([Credits, z.record(z.string().min(1), Credits)]);

const ModelPrice = z.union([
  /** Credits for each second of clip that is asked for. */
  z.strictObject({ perSecond: ByResolution }),
  /** Credits for a task, whatever its length. */
  z.strictObject({ perTask: ByResolution }),
]);
export type ModelPrice = z.infer<typeof ModelPrice>;

/** By model: its id, its title or its workflow name. */
export const PriceTable = z.record(z.string().min(1), ModelPrice);
export type PriceTable = z.infer<typeof PriceTable>;
