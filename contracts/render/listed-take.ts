import { z } from 'zod';
import { TAKE_STATES } from '../states';
import { Change } from './render-plan';

/** A take as `dailies takes --json` lists it. Other programs read this format: fields are added, never changed. */
export const ListedTake = z.strictObject({
  shot: z.string(),
  /** Counts from 1 within the shot. */
  take: z.int().positive(),
  state: z.enum(TAKE_STATES),
  /** When the take was first requested, ISO 8601. */
  at: z.string(),
  /** Whether it is the shot's chosen take. */
  chosen: z.boolean(),
  /** Whether it is the chosen take and approved: by a person, or because the review's time was up. */
  approved: z.boolean(),
  /** Differences of its request from the previous take's request; null for the first take. */
  changes: z.array(Change).nullable(),
  taskId: z.string().nullable(),
  /** Null if the gateway reported none; 0 for a take that reuses another take. */
  credits: z.number().nullable(),
  /** Absolute path of its output; null if the output is not in the store. */
  path: z.string().nullable(),
  /** Media type of the output, for example `video/mp4`: the file has no extension. Null if `path` is null. */
  mediaType: z.string().nullable(),
});
export type ListedTake = z.infer<typeof ListedTake>;
