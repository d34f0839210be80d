import { z } from 'zod';

/** One kind of call of one model. */
export const CallKind = z.object({
  model: z.object({ id: z.string(), workflow: z.string().optional() }),
  mode: z.enum(['submit', 'execute']),
});
export type CallKind = z.infer<typeof CallKind>;

/** Why the submits of an account or of one model wait. Shared by the account's workers. Times are ISO 8601. */
export const ClosedGate = z.object({
  for: z.enum(['unclear', 'key', 'down']),
  /** The gateway's own message, or why the gateway did not answer. */
  reason: z.string(),
  /** When the gate closed. Later failed submits do not change this time. */
  since: z.string(),
  /** Number of failed submits: the one that closed the gate, and those that tried the gateway since. */
  failures: z.int().positive(),
  /** When one submit may try the gateway, if reads succeed. If `only` is set, other kinds of calls may try earlier. */
  tryAt: z.string(),
  /** When one submit may try even if reads fail, since the gateway may still accept submits. */
  tryAnywayAt: z.string(),
  /** The kind of call, if only calls of this kind were unclear since the gate closed. Absent otherwise. */
  only: CallKind.optional(),
});
export type ClosedGate = z.infer<typeof ClosedGate>;
