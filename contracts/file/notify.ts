import { z } from 'zod';
import { NOTICE_TYPES } from '../notice';

/** In characters. Longer addresses are not plausible. */
const MAX_URL_LENGTH = 2_048;

const ADDRESS_RULE = 'must be an http or https address without user and password, such as https://example.com/hooks';

/** The receiver of notices as written in a file. */
export const Notify = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: ADDRESS_RULE })
    .max(MAX_URL_LENGTH)
    .regex(/^https?:[/\\]*(?![^/?#\\]*@)[^/\\]/i, ADDRESS_RULE)
    .describe("Notices are posted to this address, signed with the worker's DAILIES_NOTIFY_SECRET."),
  on: z.array(z.enum(NOTICE_TYPES)).min(1).optional().describe('Which events are sent. Default: all.'),
});
export type Notify = z.infer<typeof Notify>;
