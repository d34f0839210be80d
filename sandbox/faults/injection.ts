import { z } from 'zod';
import { RequestRefused } from '../request-refused';
import { FAULTS, type AnyFault, type FaultName } from './fault-table';

const NAMES = Object.keys(FAULTS) as FaultName[];

/**
 * An order to inject a fault: for the next `count` cases, for a `share` of all cases, or for a share until `count` is
 * used up.
 */
export const Injection = z
  .strictObject({
    kind: z.enum(NAMES).describe(NAMES.map((name) => `- \`${name}\`: ${FAULTS[name].says}`).join('\n')),
    count: z
      .int()
      .positive()
      .optional()
      .describe('How often it strikes. Default: once, or without end where a share is given.'),
    share: z.number().min(0).max(1).optional().describe('Share of the cases in which it strikes. Default: all.'),
    on: z
      .enum(['submit', 'read'])
      .optional()
      .describe('Of faults at a request: those that it is kept to; an execute is a submit.'),
    seconds: z.number().optional().describe('Of faults that go by a time: how long.'),
  })
  .superRefine(({ kind, on, seconds }, context) => {
    const fault: AnyFault = FAULTS[kind];
    if (on !== undefined && fault.at !== 'request') {
      context.addIssue({ code: 'custom', path: ['on'], message: `${kind} does not strike at a request` });
    }
    if (seconds !== undefined && fault.seconds === undefined) {
      context.addIssue({ code: 'custom', path: ['seconds'], message: `${kind} does not go by a time` });
    }
  });
export type Injection = z.infer<typeof Injection>;

/** @throws RequestRefused 400, which says what is wrong with the injection. */
export function readInjection(body: unknown): Injection {
  const parsed = Injection.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new RequestRefused(400, 'invalid_fault', z.prettifyError(parsed.error));
}
