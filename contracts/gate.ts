import { z } from 'zod';

/** Why an account's submits wait at present. Shared by all its workers, and shown to people. Times are ISO 8601. */
export const ClosedGate = z.object({
  for: z.enum(['unclear', 'key', 'down']),
  /** In the gateway's words. */
  reason: z.string(),
  /** Since when without a break. */
  since: z.string(),
  /** Submits in a row that found the gateway so. */
  failures: z.int().positive(),
  /** When one submit goes out to see whether the gateway takes it, if reads find the gateway in good order. */
  tryAt: z.string(),
  /** When one goes out whatever reads find: a gateway may answer them badly and take submits all the same. */
  tryAnywayAt: z.string(),
});
export type ClosedGate = z.infer<typeof ClosedGate>;
