import { z } from 'zod';
import { DEFAULT_RETRY_FAILED, MAX_TAKES } from '../render/plan';

/** Longest wait for a task, in seconds. Gateways delete results after some days. */
const MAX_DEADLINE_SECONDS = 7 * 24 * 3600;

/** Most retries of a failed task. More failures probably have a lasting cause, and each retry may be charged. */
const MAX_RETRY_FAILED = 5;

/** Longest time limit of a review, in seconds. For a longer wait, leave the limit out. */
const MAX_REVIEW_SECONDS = 30 * 24 * 3600;

/** How a shot is reviewed, as written in a file. */
export const ReviewInFile = z.union(
  [
    z.boolean(),
    z.literal('chain'),
    z
      .strictObject({
        within: z
          .int()
          .min(1)
          .max(MAX_REVIEW_SECONDS)
          .optional()
          .describe('How long the shot waits, in seconds. Default: no limit.'),
        otherwise: z.enum(['approve', 'skip']).optional().describe('What happens when that time is over.'),
        chain: z.boolean().optional().describe('Whether all shots that follow this one by links are reviewed too.'),
      })
      .refine(
        ({ within, otherwise }) => (within === undefined) === (otherwise === undefined),
        'must have within and otherwise together, for example { within: 3600, otherwise: approve }',
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
    .describe('Seconds to wait for the task. Default: one minute per second of clip, at least 15 minutes.'),
  retryFailed: z
    .int()
    .min(0)
    .max(MAX_RETRY_FAILED)
    .optional()
    .describe(
      `Number of further takes, each paid for, if the gateway fails the task. None if the gateway refuses the content. Default: ${DEFAULT_RETRY_FAILED}.`,
    ),
  takes: z
    .int()
    .min(1)
    .max(MAX_TAKES)
    .optional()
    .describe(
      'Number of takes made side by side, each paid for. The first that completes is used, unless you choose another. Default: 1.',
    ),
  review: ReviewInFile.optional().describe(
    'Whether the shot waits for your approval, at no cost, before other shots start on its frames. chain: also all shots that follow it by links. Default: false.',
  ),
  onFailure: z.enum(['park', 'skip', 'fail']).optional().meta({
    description:
      'What happens to the shot if its task fails or does not end, or if its output cannot be collected. park: it waits for you. skip: it is left out of this render. fail: it fails in this render.',
    default: 'park',
  }),
};
