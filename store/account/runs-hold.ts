import { z } from 'zod';
import { accountFolder } from './account-folder';
import { type Records } from '../records';

/**
 * Keeps an account's schedules from beginning runs.
 *
 * The first worker of an embedded set holds the runs, unless another worker serves the account. The command that starts
 * the set may be meant to pause or correct a schedule, so no due run may begin before that. `dailies up` and
 * `dailies worker` release the hold.
 */
export interface RunsHold {
  hold(): Promise<void>;
  release(): Promise<void>;
  isHeld(): Promise<boolean>;
}

/** `since` is ISO 8601. The record is null after a release, and absent if the runs were never held. */
const HoldRecord = z.looseObject({ since: z.string() }).nullish();

export function createRunsHold(records: Records, account: string): RunsHold {
  const key = `${accountFolder(account)}/runs-hold`;
  return {
    hold: () => records.replace(key, { since: new Date().toISOString() }),
    release: () => records.replace(key, null),
    isHeld: async () => HoldRecord.parse(await records.read(key)) != null,
  };
}
