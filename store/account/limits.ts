import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Limits, type LimitSet } from '../../contracts/gateway/limits';
import { ifReadable, type Records } from '../records';
import { accountFolder } from './account-folder';

/** For this long after a 429, every submit needs a lease from the arbiter, even if the account has no limits. */
const THROTTLED_FOR_MS = 24 * 60 * 60_000;

/** Shortest time between two records of throttling. Further 429s within this time are not recorded. */
const NOTE_INTERVAL_MS = 60_000;

const CHECK_EVERY_MS = 50;

/** Maximum time for a process to use its right to replace the limits. Then other changes assume that it has died. */
const LONGEST_CHANGE_MS = 5_000;

const Throttled = z.looseObject({ since: z.string(), last: z.string() });

export type SetLimits = Pick<Limits, 'account' | 'models'>;

/** The limits for an account's submits. */
export interface LimitsInForce {
  readonly limits: SetLimits;
  /**
   * Changes when the limits change, or when throttling begins or ends, so that a sender can tell that its lease was
   * granted before the change.
   */
  readonly force: string;
}

/** The limits that a person has set for an account, and whether the gateway throttles the account. */
export interface AccountLimits {
  /** The limits that a person has set. */
  read(): Promise<SetLimits>;
  /**
   * Applies a change to the current limits and returns the result. Concurrent changes are applied one after another,
   * even if a process dies during its change.
   */
  change(changed: (before: SetLimits) => SetLimits): Promise<SetLimits>;
  /** Undefined if submits need no lease. */
  inForce(): Promise<LimitsInForce | undefined>;
  /** Records that the gateway has throttled a submit. */
  noteThrottled(): Promise<void>;
}

export function createAccountLimits(records: Records, account: string): AccountLimits {
  const folder = accountFolder(account);
  const storedLimits = async (): Promise<Limits | undefined> => {
    const record = await records.read(`${folder}/limits`);
    return record === undefined ? undefined : Limits.parse(record);
  };
  const throttled = async (): Promise<z.infer<typeof Throttled> | undefined> => {
    // Treat an unreadable record as missing: the next 429 writes it again.
    const throttling = (
      await ifReadable(async () => Throttled.optional().parse(await records.read(`${folder}/throttled`)))
    )?.value;
    return throttling !== undefined && Date.now() - Date.parse(throttling.last) < THROTTLED_FOR_MS
      ? throttling
      : undefined;
  };
  const write = async ({ account: own, models }: SetLimits, at: Date): Promise<SetLimits> => {
    const limits = { account: own, models: withoutEmpty(models) };
    await records.replace(`${folder}/limits`, Limits.parse({ ...limits, at: at.toISOString() }));
    return limits;
  };
  const timeOf = ({ at }: { readonly at: string }): number => Date.parse(at) || 0;
  const claimKey = (setAtMs: number, claim: number): string =>
    `${folder}/limits-after-${setAtMs}${claim === 1 ? '' : `-${claim}`}`;
  const setAt = async (): Promise<number> => timeOf((await storedLimits()) ?? { at: '' });
  return {
    async read() {
      const { account: own, models } = (await storedLimits()) ?? NO_LIMITS;
      return { account: own, models };
    },
    async change(changed) {
      // The write-once record `limits-after-T` gives one process the right to replace the limits that were set at T. If
      // that process has died, `limits-after-T-2` gives the right to another one, and so on.
      let [waitedFor, claim, sinceMs] = [Number.NaN, 1, 0];
      for (;;) {
        const setAtMs = await setAt();
        if (setAtMs !== waitedFor) [waitedFor, claim, sinceMs] = [setAtMs, 1, performance.now()];
        if (await records.create(claimKey(setAtMs, claim), { at: new Date().toISOString() })) {
          const before = (await storedLimits()) ?? { ...NO_LIMITS, at: '' };
          // If a claim has timed out, another process may have changed the limits meanwhile, or may be about to.
          const isOvertaken = (await records.read(claimKey(setAtMs, claim + 1))) !== undefined;
          if (timeOf(before) !== setAtMs || isOvertaken) continue;
          return write(changed(before), new Date(Math.max(Date.now(), setAtMs + 1)));
        }
        if (performance.now() - sinceMs > LONGEST_CHANGE_MS) [claim, sinceMs] = [claim + 1, performance.now()];
        else await sleep(CHECK_EVERY_MS);
      }
    },
    async inForce() {
      const [limits, throttling] = await Promise.all([storedLimits(), throttled()]);
      const isSet = limits !== undefined && (!isEmpty(limits.account) || Object.keys(limits.models).length > 0);
      if (!isSet && throttling === undefined) return undefined;
      const { account: own, models } = limits ?? NO_LIMITS;
      return { limits: { account: own, models }, force: `${limits?.at ?? 'none'} ${throttling?.since ?? 'none'}` };
    },
    async noteThrottled() {
      const throttling = await throttled();
      const now = new Date();
      if (throttling !== undefined && now.getTime() - Date.parse(throttling.last) < NOTE_INTERVAL_MS) return;
      const at = now.toISOString();
      await records.replace(`${folder}/throttled`, { since: throttling?.since ?? at, last: at });
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
