import { z } from 'zod';

/** Why no submit of an account goes out at present. Shared by all its workers, and shown to people. */
export const ClosedGate = z.looseObject({
  for: z.enum(['unclear', 'key', 'down']),
  /** In the gateway's words. */
  reason: z.string(),
  /** ISO 8601; since when without a break. */
  since: z.string(),
});
export type ClosedGate = z.infer<typeof ClosedGate>;
