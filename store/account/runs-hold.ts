import { z } from 'zod';
import { accountFolder } from './account-folder';
import { type Records } from '../records';

/**
 * Keeps an account's schedules from beginning runs.
 *
 * An embedded worker that starts while no other worker serves the account holds the runs: a person who starts a command
 * to pause or correct a schedule must not pay for a due run first. `dailies up` and `dailies worker` release the hold.
 */
export interface RunsHold {
  hold(): Promise<void>;
  release(): Promise<void>;
  isHeld(): Promise<boolean>;
}

/** `since` is ISO 8601. The record is null after a release. */
const HoldRecord = z.looseObject({ since: z.string() }).nullish();

export function createRunsHold(records: Records, account: string): RunsHold {
  const key = `${accountFolder(account)}/runs-hold`;
  return {
    hold: () => records.replace(key, { since: new Date().toISOString() }),
    release: () => records.replace(key, null),
    isHeld: async () => HoldRecord.parse(await records.read(key)) != null,
  };
}
