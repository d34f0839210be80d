import { z } from 'zod';
import { RequestRefused } from '../http/request-refused';
import { FAULTS, type AnyFault, type FaultName } from './fault-table';

const NAMES = Object.keys(FAULTS) as FaultName[];

/**
 * A fault to inject. With `count`, it strikes the next `count` targets. With `share`, it strikes this share of all
 * targets; with both, until it has struck `count` times. With neither, it strikes once.
 */
export const Injection = z
  .strictObject({
    kind: z.enum(NAMES).describe(NAMES.map((name) => `- \`${name}\`: ${FAULTS[name].description}`).join('\n')),
    count: z
      .int()
      .positive()
      .optional()
      .describe('How often it strikes. Default: once, or without limit if a share is given.'),
    share: z.number().min(0).max(1).optional().describe('Share of the cases in which it strikes. Default: all.'),
    on: z
      .enum(['submit', 'read'])
      .optional()
      .describe(
        'For faults of requests: the kind of request that it strikes. An execute counts as a submit. Default: both.',
      ),
    seconds: z.number().optional().describe('For faults with a duration: the duration.'),
  })
  .superRefine(({ kind, on, seconds }, context) => {
    const fault: AnyFault = FAULTS[kind];
    if (on !== undefined && fault.at !== 'request') {
      context.addIssue({ code: 'custom', path: ['on'], message: `${kind} is not a fault of requests` });
    }
    if (seconds !== undefined && fault.seconds === undefined) {
      context.addIssue({ code: 'custom', path: ['seconds'], message: `${kind} has no duration` });
    }
  });
export type Injection = z.infer<typeof Injection>;

/** @throws RequestRefused 400 if the injection is invalid; the message lists the problems. */
export function readInjection(body: unknown): Injection {
  const parsed = Injection.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new RequestRefused(400, 'invalid_fault', z.prettifyError(parsed.error));
}
