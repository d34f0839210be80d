import { z } from 'zod';

/** What a person allows an account, or one of its models, to send. What is absent is not bounded. */
export const LimitSet = z.looseObject({
  /** Most tasks that may be unfinished at once. */
  inFlight: z.int().positive().optional(),
  perSecond: z.number().positive().optional(),
  perMinute: z.int().positive().optional(),
  /** Most that the gateway may charge from midnight to midnight, UTC. */
  creditsPerDay: z.number().nonnegative().optional(),
});
export type LimitSet = z.infer<typeof LimitSet>;

/** The limits of an account, all of them; a model's hold beside the account's. */
export const Limits = z.looseObject({
  account: LimitSet,
  /** By the model's id. */
  models: z.record(z.string(), LimitSet),
  /** When they were set, ISO 8601. */
  at: z.string(),
});
export type Limits = z.infer<typeof Limits>;
