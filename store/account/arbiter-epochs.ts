import { z } from 'zod';
import { type Epoch } from '../../contracts/gateway/arbiter';
import { isDamaged, numbersOf, type Records } from '../records';
import { accountFolder } from './account-folder';

/** Number of epochs that are searched, newest first. A lease is used or expires long before so many epochs begin. */
const MOST_EPOCHS_BACK = 10;

const EpochRecord = z.looseObject({
  runId: z.string(),
  /** The earlier epoch whose leases stay valid; null if there is none. */
  follows: z.int().nullable(),
});

/**
 * Epochs of an account's arbiter, shared by all workers of the account. In an epoch, one run of the arbiter's workflow
 * grants leases, each the right to submit one take. Each epoch is a record `epoch-n`, written once. A lease is valid if
 * its epoch is the newest, or one that the newest follows, directly or through others.
 *
 * An arbiter begins an epoch before it reads the sendings under way. A sender writes its `sent` record before it checks
 * that the epoch of its lease is valid. So if a new epoch ends a lease, either the arbiter sees the lease's sending, or
 * the sender does not send.
 */
export interface ArbiterEpochs {
  /** The number of the newest epoch; 0 if there is none. */
  newest(): Promise<number>;
  /** Begins an epoch, unless the newest one has the same run and `follows`. @returns the number of the newest epoch. */
  begin(runId: string, follows: number | null): Promise<number>;
  /** True if leases of the epoch may still be used. */
  isValid(epoch: Epoch): Promise<boolean>;
}

export function createArbiterEpochs(records: Records, account: string): ArbiterEpochs {
  const folder = `${accountFolder(account)}/arbiter`;
  /** Undefined if the record is damaged: leases of its epoch are not valid, and another epoch can begin. */
  const read = async (n: number): Promise<z.infer<typeof EpochRecord> | undefined> => {
    try {
      return EpochRecord.parse(await records.read(`${folder}/epoch-${n}`));
    } catch (error) {
      if (isDamaged(error)) return undefined;
      throw error;
    }
  };
  const newest = async (): Promise<number> => numbersOf(await records.list(folder), 'epoch').at(-1) ?? 0;
  return {
    newest,
    async begin(runId, follows) {
      for (;;) {
        const n = await newest();
        if (n > 0) {
          const last = await read(n);
          if (last?.runId === runId && last.follows === follows) return n;
        }
        if (await records.create(`${folder}/epoch-${n + 1}`, { runId, follows })) return n + 1;
      }
    },
    async isValid({ epoch, runId }) {
      let n: number | null = await newest();
      for (let steps = 0; n !== null && n > 0 && steps < MOST_EPOCHS_BACK; steps += 1) {
        const record = await read(n);
        if (record === undefined) return false;
        if (n === epoch) return record.runId === runId;
        n = record.follows;
      }
      return false;
    },
  };
}
