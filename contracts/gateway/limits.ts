import { z } from 'zod';

/** Limits of an account, or of one of its models. An absent value means no limit. */
export const LimitSet = z.looseObject({
  /** Maximum number of unfinished tasks at once. */
  inFlight: z.int().positive().optional(),
  /** Maximum number of submits per second. May be less than one. */
  perSecond: z.number().positive().optional(),
  perMinute: z.int().positive().optional(),
  /** Maximum credits that the gateway may charge per day, from midnight to midnight UTC. */
  creditsPerDay: z.number().nonnegative().optional(),
});
export type LimitSet = z.infer<typeof LimitSet>;

/** All limits of an account. A model's limits apply in addition to the account's. */
export const Limits = z.looseObject({
  account: LimitSet,
  /** By model id. */
  models: z.record(z.string(), LimitSet),
  /** When the limits were set, ISO 8601. */
  at: z.string(),
});
export type Limits = z.infer<typeof Limits>;
