import { z } from 'zod';
import { accountFolder } from './account-folder';
import { type Records } from './records';

/**
 * Whether the runs of an account's schedules wait for the embedded set to be held up for everything.
 *
 * A set that a command has brought up for something else begins none that is due: whoever pauses or mends a schedule is
 * not to pay for it first.
 */
export interface RunsHold {
  hold(): Promise<void>;
  release(): Promise<void>;
  isHeld(): Promise<boolean>;
}

/** Since when (ISO 8601); null where it was released. */
const HoldRecord = z.looseObject({ since: z.string() }).nullish();

export function createRunsHold(records: Records, account: string): RunsHold {
  const key = `${accountFolder(account)}/runs-hold`;
  return {
    hold: () => records.replace(key, { since: new Date().toISOString() }),
    release: () => records.replace(key, null),
    isHeld: async () => HoldRecord.parse(await records.read(key)) != null,
  };
}
