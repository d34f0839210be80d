import { z } from 'zod';
import { Limits, type LimitSet } from '../../contracts/gateway/limits';
import { ifReadable, UnreadableRecord, type Records } from '../records';
import { accountFolder } from './account-folder';

/** For this long after a 429, every submit needs a lease from the arbiter, even if the account has no limits. */
const THROTTLED_FOR_MS = 24 * 60 * 60_000;

/** Shortest time between two records of throttling. Further 429s within this time are not recorded. */
const NOTE_INTERVAL_MS = 60_000;

const Throttled = z.looseObject({ since: z.string(), last: z.string() });

/** A change of the limits. Earlier versions recorded only that a process was about to change them. */
const LimitsChange = z.union([Limits, z.strictObject({ at: z.string() })]);

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
   * even if a process stalls or dies during its change. `changed` is called again if another change was recorded first.
   */
  change(changed: (before: SetLimits) => SetLimits): Promise<SetLimits>;
  /** Undefined if submits need no lease. */
  inForce(): Promise<LimitsInForce | undefined>;
  /** Records that the gateway has throttled a submit. */
  noteThrottled(): Promise<void>;
}

export function createAccountLimits(records: Records, account: string): AccountLimits {
  const folder = accountFolder(account);
  // The write-once record `limits-after-T` has the limits that replace those set at T. Only one change can create it,
  // so no change is lost. If an earlier version wrote it without limits, `limits-after-T-2` comes next, and so on. The
  // record `limits` has the result of a recent change, so that readers have few changes to follow.
  const storedLimits = async (): Promise<{ readonly limits: Limits | undefined; readonly keyOfNext: string }> => {
    let limits = Limits.optional().parse(await records.read(`${folder}/limits`));
    for (let slot = 1; ;) {
      const key = `${folder}/limits-after-${timeOf(limits)}${slot === 1 ? '' : `-${slot}`}`;
      const next = LimitsChange.optional().parse(await records.read(key));
      if (next === undefined) return { limits, keyOfNext: key };
      if (!('account' in next)) slot += 1;
      else if (timeOf(next) <= timeOf(limits)) throw new UnreadableRecord(`${key}: is not later than what it replaces`);
      else [limits, slot] = [next, 1];
    }
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
  return {
    async read() {
      return limitValues((await storedLimits()).limits);
    },
    async change(changed) {
      for (;;) {
        const { limits: before, keyOfNext } = await storedLimits();
        const { account: own, models } = changed(limitValues(before));
        const at = new Date(Math.max(Date.now(), timeOf(before) + 1)).toISOString();
        const limits = Limits.parse({ account: own, models: withoutEmpty(models), at });
        if (!(await records.create(keyOfNext, limits))) continue;
        await records.replace(`${folder}/limits`, limits);
        return limitValues(limits);
      }
    },
    async inForce() {
      const [{ limits }, throttling] = await Promise.all([storedLimits(), throttled()]);
      const isSet = limits !== undefined && (!isEmpty(limits.account) || Object.keys(limits.models).length > 0);
      if (!isSet && throttling === undefined) return undefined;
      return { limits: limitValues(limits), force: `${limits?.at ?? 'none'} ${throttling?.since ?? 'none'}` };
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

/** When the limits were set, in ms since 1970. Zero if no limits were set, or if the time is unknown. */
function timeOf(limits: Limits | undefined): number {
  return limits === undefined ? 0 : Date.parse(limits.at) || 0;
}

function limitValues(limits: Limits | undefined): SetLimits {
  const { account, models } = limits ?? { account: {}, models: {} };
  return { account, models };
}

function isEmpty(limits: LimitSet): boolean {
  return Object.values(limits).every((value) => value === undefined);
}

function withoutEmpty(models: Limits['models']): Limits['models'] {
  return Object.fromEntries(Object.entries(models).filter(([, limits]) => !isEmpty(limits)));
}
