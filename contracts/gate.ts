import { z } from 'zod';

/** One kind of call of one model. */
export const CallKind = z.object({
  model: z.object({ id: z.string(), workflow: z.string().optional() }),
  mode: z.enum(['submit', 'execute']),
});
export type CallKind = z.infer<typeof CallKind>;

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
  /** The only calls that found trouble since then; absent if several did, and in records of older versions. */
  only: CallKind.optional(),
});
export type ClosedGate = z.infer<typeof ClosedGate>;
