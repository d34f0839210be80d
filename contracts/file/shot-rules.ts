import { z } from 'zod';
import { DEFAULT_RETRY_FAILED, MAX_TAKES } from '../render/plan';

/** Longest wait for a task, in seconds. Gateways delete results after days. */
const MAX_DEADLINE_SECONDS = 7 * 24 * 3600;

/** More failures than this have a lasting cause, and each take may be charged. */
const MAX_RETRY_FAILED = 5;

/** Longest time limit of a review, in seconds. A longer one would be no limit in practice. */
const MAX_REVIEW_SECONDS = 30 * 24 * 3600;

/** How a shot is reviewed, as written in a file. */
export const ReviewInFile = z.union(
  [
    z.boolean(),
    z.literal('chain'),
    z
      .strictObject({
        within: z.int().min(1).max(MAX_REVIEW_SECONDS).optional().describe('Seconds; without it, for ever.'),
        otherwise: z.enum(['approve', 'skip']).optional().describe('What happens by itself when they are over.'),
        chain: z.boolean().optional().describe('Whether it holds for all that follows the shot by links as well.'),
      })
      .refine(
        ({ within, otherwise }) => (within === undefined) === (otherwise === undefined),
        'must have within and otherwise together, as { within: 3600, otherwise: approve }',
      ),
  ],
  { error: 'must be true, false, chain or { within, otherwise, chain }' },
);
export type ReviewInFile = z.infer<typeof ReviewInFile>;

/** Rules about payment, waiting and review; the same for every model. */
export const PAYING_RULES = {
  deadline: z
    .int()
    .min(1)
    .max(MAX_DEADLINE_SECONDS)
    .optional()
    .describe('Seconds until the shot is parked. Default: one minute per second of clip, at least 15 minutes.'),
  retryFailed: z
    .int()
    .min(0)
    .max(MAX_RETRY_FAILED)
    .optional()
    .describe(
      `Further takes, each paid for, when the gateway fails the task; none where it refuses the content. Default: ${DEFAULT_RETRY_FAILED}.`,
    ),
  takes: z
    .int()
    .min(1)
    .max(MAX_TAKES)
    .optional()
    .describe('Takes side by side, each paid for. The first that completes stands, unless you choose. Default: 1.'),
  review: ReviewInFile.optional().describe(
    'Whether the shot waits for your approval, at no cost, before anything starts on its frames. chain: with all that follows it by links. Default: false.',
  ),
  onFailure: z.enum(['park', 'skip', 'fail']).optional().meta({
    description:
      'What becomes of the shot when its task fails, does not end, or cannot be brought home: it waits for you, is left out, or fails.',
    default: 'park',
  }),
};
