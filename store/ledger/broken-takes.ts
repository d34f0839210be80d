import { type Ledger } from './ledger';
import { type ReadableRecords } from './ledger-search';
import { ifReadable } from '../records';
import { type ShotAddress, type TakeAddress } from './take-address';
import { type TakeHistory } from './take-history';
import { IntentMissing } from './take-mismatch';

/** A take with unreadable records, and the records that can be read. */
export interface BrokenTake extends TakeAddress, ReadableRecords {
  readonly reason: string;
  /** True if the intent's record is missing. */
  readonly lacksIntent: boolean;
}

/** The takes of a shot, separated into readable and unreadable ones. */
export interface ShotTakes {
  /** In order of their numbers. */
  readonly takes: readonly TakeHistory[];
  readonly broken: readonly BrokenTake[];
}

/**
 * Reads the takes of a shot even if some are unreadable. A caller that sends takes uses `Ledger.takes`, which throws if
 * one is unreadable.
 */
export async function readableTakes(ledger: Ledger, { productionId, shotId }: ShotAddress): Promise<ShotTakes> {
  const takes: TakeHistory[] = [];
  const broken: BrokenTake[] = [];
  for (const take of await ledger.numbers({ productionId, shotId })) {
    const address = { productionId, shotId, take };
    let reason = '';
    let lacksIntent = false;
    const read = await ifReadable(
      () => ledger.take(address),
      (error) => {
        reason = error.message;
        lacksIntent = error instanceof IntentMissing;
      },
    );
    if (read === undefined)
      broken.push({ ...address, ...(await ledger.readableRecords(address)), reason, lacksIntent });
    else if (read.value !== undefined) takes.push(read.value);
  }
  return { takes, broken };
}

/** The unreadable takes of a production, except takes whose intent names another account. */
export async function brokenTakes(
  ledger: Ledger,
  productionId: string,
  account: string,
): Promise<readonly BrokenTake[]> {
  const shots = await ledger.shots(productionId);
  const takesByShot = await Promise.all(shots.map((shotId) => readableTakes(ledger, { productionId, shotId })));
  return takesByShot.flatMap(({ broken }) => broken).filter(({ intent }) => (intent?.account ?? account) === account);
}
