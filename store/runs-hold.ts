import { z } from 'zod';
import { accountFolder } from './account-folder';
import { type Records } from './records';

/**
 * Whether an account's schedules start no runs for now.
 *
 * An embedded set that a command started for another purpose begins no run that is due: a person who pauses or corrects
 * a schedule must not pay for a run first. `dailies up` releases the hold.
 */
export interface RunsHold {
  hold(): Promise<void>;
  release(): Promise<void>;
  isHeld(): Promise<boolean>;
}

/** Since when, ISO 8601; null if it was released. */
const HoldRecord = z.looseObject({ since: z.string() }).nullish();

export function createRunsHold(records: Records, account: string): RunsHold {
  const key = `${accountFolder(account)}/runs-hold`;
  return {
    hold: () => records.replace(key, { since: new Date().toISOString() }),
    release: () => records.replace(key, null),
    isHeld: async () => HoldRecord.parse(await records.read(key)) != null,
  };
}
