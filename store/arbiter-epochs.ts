import { z } from 'zod';
import { type Epoch } from '../contracts/arbiter';
import { numbersOf, type Records } from './records';
import { accountFolder } from './account-folder';

/** How many epochs that follow each other are looked through: a lease is used long before there are as many. */
const LOOKED_THROUGH = 10;

const EpochRecord = z.looseObject({
  runId: z.string(),
  /** The epoch whose leases count on; null where those of no other do. */
  follows: z.int().nullable(),
});

/**
 * Which arbiter of an account counts, shared by all its workers: `epoch-n`, each written once, the newest one counts.
 *
 * An arbiter begins one before it looks for what is under way, and who sends looks at it after it has noted that it
 * does: so what was granted before is either found, or not sent.
 */
export interface ArbiterEpochs {
  /** 0 where there never was one. */
  newest(): Promise<number>;
  /** Begins the next one; the same run that begins once more after a lost answer gets the one that it has. */
  begin(runId: string, follows: number | null): Promise<number>;
  /** Whether what was granted in that epoch may still be used. */
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
