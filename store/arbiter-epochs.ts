import { z } from 'zod';
import { type Epoch } from '../contracts/arbiter';
import { numbersOf, type Records } from './records';
import { accountFolder } from './account-folder';

/** Most epochs that are followed back from the newest. A lease is used long before there are as many. */
const LOOKED_THROUGH = 10;

const EpochRecord = z.looseObject({
  runId: z.string(),
  /** The epoch whose leases stay valid; null if no earlier epoch's leases do. */
  follows: z.int().nullable(),
});

/**
 * Epochs of an account's arbiter, shared by all its workers. Each is a record `epoch-n`, written once; the newest is in
 * force.
 *
 * An arbiter begins an epoch before it reads what is under way. A sender writes its `sent` record before it checks the
 * epoch. So a lease of an earlier arbiter is either found or not used.
 */
export interface ArbiterEpochs {
  /** 0 if there is none. */
  newest(): Promise<number>;
  /** Begins the next epoch. A run that repeats the call after a lost answer gets the epoch that it began. */
  begin(runId: string, follows: number | null): Promise<number>;
  /** True if leases of that epoch may still be used. */
  counts(epoch: Epoch): Promise<boolean>;
}

export function createArbiterEpochs(records: Records, account: string): ArbiterEpochs {
  const folder = `${accountFolder(account)}/arbiter`;
  const read = async (n: number): Promise<z.infer<typeof EpochRecord>> =>
    EpochRecord.parse(await records.read(`${folder}/epoch-${n}`));
  const newest = async (): Promise<number> => numbersOf(await records.list(folder), 'epoch').at(-1) ?? 0;
  return {
    newest,
    async begin(runId, follows) {
      for (;;) {
        const n = await newest();
        if (n > 0) {
          const last = await read(n);
          if (last.runId === runId && last.follows === follows) return n;
        }
        if (await records.create(`${folder}/epoch-${n + 1}`, { runId, follows })) return n + 1;
      }
    },
    async counts({ epoch, runId }) {
      let n: number | null = await newest();
      for (let looked = 0; n !== null && n > 0 && looked < LOOKED_THROUGH; looked += 1) {
        const record: z.infer<typeof EpochRecord> = await read(n);
        if (n === epoch) return record.runId === runId;
        n = record.follows;
      }
      return false;
    },
  };
}
