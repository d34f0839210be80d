import { z } from 'zod';
import { TakeState } from './manifest';
import { Change } from './render-plan';

/**
 * One of a shot's takes, as `dailies takes --json` lists it. Other programs rely on it: fields are added, never changed.
 */
export const ListedTake = z.strictObject({
  shot: z.string(),
  /** Counts from 1 within the shot. */
  take: z.int().positive(),
  state: TakeState,
  /** When it was first wanted, ISO 8601. */
  at: z.string(),
  /** Whether it stands for the shot. */
  chosen: z.boolean(),
  /** Whether somebody has approved it, or let time do so. */
  approved: z.boolean(),
  /** What it was asked for otherwise than the take before; null for the first. Empty: the same once more. */
  changes: z.array(Change).nullable(),
  taskId: z.string().nullable(),
  /** Null where the gateway reported none. */
  credits: z.number().nullable(),
  /** Absolute path of what it left; null where it is not in the store. */
  path: z.string().nullable(),
  /** What that is, as `video/mp4`: the store's files have no ending. */
  mediaType: z.string().nullable(),
});
export type ListedTake = z.infer<typeof ListedTake>;
