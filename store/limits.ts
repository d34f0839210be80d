import { z } from 'zod';
import { Limits, type LimitSet } from '../contracts/limits';
import { ifReadable, type Records } from './records';
import { accountFolder } from './account-folder';

/** How long after a 429 an account without set limits sends its submits in turn. */
const THROTTLED_FOR_MS = 24 * 60 * 60_000;

/** Shortest time between two records of throttling: each 429 of a burst says the same. */
const NOTE_AGAIN_MS = 60_000;

const Throttled = z.looseObject({ since: z.string(), last: z.string() });

/** The limits for an account's submits. */
export interface LimitsInForce {
  readonly limits: Pick<Limits, 'account' | 'models'>;
  /** Changes when the limits change, so that a sender can tell that its lease was granted under older ones. */
  readonly force: string;
}

/** The limits that a person set for an account, and whether the gateway throttles it. */
export interface AccountLimits {
  /** As a person set them. */
  read(): Promise<Pick<Limits, 'account' | 'models'>>;
  write(limits: Pick<Limits, 'account' | 'models'>): Promise<void>;
  /** Undefined if submits need no lease. */
  inForce(): Promise<LimitsInForce | undefined>;
  /** Records that the gateway throttled a submit. From then on submits take turns, even without set limits. */
  noteThrottled(): Promise<void>;
}

export function createAccountLimits(records: Records, account: string): AccountLimits {
  const folder = accountFolder(account);
  const set = async (): Promise<Limits | undefined> => {
    const record = await records.read(`${folder}/limits`);
    return record === undefined ? undefined : Limits.parse(record);
  };
  const throttled = async (): Promise<z.infer<typeof Throttled> | undefined> => {
    // If it cannot be read, the next 429 writes it again.
    const known = (await ifReadable(async () => Throttled.optional().parse(await records.read(`${folder}/throttled`))))
      ?.value;
    return known !== undefined && Date.now() - Date.parse(known.last) < THROTTLED_FOR_MS ? known : undefined;
  };
  return {
    async read() {
      const { account: own, models } = (await set()) ?? NO_LIMITS;
      return { account: own, models };
    },
    write: ({ account: own, models }) =>
      records.replace(
        `${folder}/limits`,
        Limits.parse({ account: own, models: withoutEmpty(models), at: new Date().toISOString() }),
      ),
    async inForce() {
      const [limits, lately] = await Promise.all([set(), throttled()]);
      const isSet = limits !== undefined && (!isEmpty(limits.account) || Object.keys(limits.models).length > 0);
      if (!isSet && lately === undefined) return undefined;
      const { account: own, models } = limits ?? NO_LIMITS;
      return { limits: { account: own, models }, force: `${limits?.at ?? 'none'} ${lately?.since ?? 'none'}` };
    },
    async noteThrottled() {
      const known = await throttled();
      const now = new Date();
      if (known !== undefined && now.getTime() - Date.parse(known.last) < NOTE_AGAIN_MS) return;
      const at = now.toISOString();
      await records.replace(`${folder}/throttled`, { since: known?.since ?? at, last: at });
    },
  };
}

const NO_LIMITS = { account: {}, models: {} };

function isEmpty(limits: LimitSet): boolean {
  return Object.values(limits).every((value) => value === undefined);
}

function withoutEmpty(models: Limits['models']): Limits['models'] {
  return Object.fromEntries(Object.entries(models).filter(([, limits]) => !isEmpty(limits)));
}
