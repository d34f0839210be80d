import { z } from 'zod';
import { isDamaged, type Records } from '../records';

/** The reason for a hold, and its start (ISO 8601). */
const HoldRecord = z.looseObject({ reason: z.string(), since: z.string() });

/**
 * `interruption`: a new worker found the production unfinished, and nobody has continued it since. `person`: a person
 * paused the production.
 */
export type HeldBy = 'interruption' | 'person';

export interface Hold {
  readonly by: HeldBy;
  readonly reason: string;
  readonly since: string;
}

/**
 * Holds of productions and batches. While a production or batch is held, nothing new is paid for; paid tasks are still
 * collected.
 *
 * An interrupted production is held because a new worker would otherwise pay for the rest of it. A new render,
 * `dailies up` or `dailies worker` ends this hold. A person's pause outlives crashes until a person resumes the
 * production. If the production has ended, its next render ends the pause. Each kind of hold has its own record, so
 * that a change of one kind cannot overwrite the other.
 */
export interface Holds {
  /** Holds an interrupted production. An existing hold of an interruption stays as it is. */
  hold(productionId: string, reason: string): Promise<void>;
  /** Ends the hold of an interruption. A person's pause stays. */
  release(productionId: string): Promise<void>;
  /** Pauses a production for a person. False if it is paused already; that pause stays as it is. */
  pause(productionId: string, reason: string): Promise<boolean>;
  /** Ends both holds. False if no person had paused the production. */
  resume(productionId: string): Promise<boolean>;
  /** The hold in force: a person's pause, else the hold of an interruption. */
  inForce(productionId: string): Promise<Hold | undefined>;
}

/** The start of a hold whose record is damaged. */
const UNKNOWN_SINCE = new Date(0).toISOString();

/**
 * A hold that has ended is recorded as null, since records are never removed. A damaged record counts as a hold, so
 * that nothing is paid for until a person ends it. A disk error is thrown.
 */
export function createHolds(records: Records): Holds {
  async function heldBy(by: HeldBy, productionId: string): Promise<Hold | undefined> {
    const key = keyOf(by, productionId);
    try {
      const record = HoldRecord.nullish().parse(await records.read(key));
      return record == null ? undefined : { by, reason: record.reason, since: record.since };
    } catch (error) {
      if (!isDamaged(error)) throw error;
      return { by, reason: `its record ${key} in the store is damaged`, since: UNKNOWN_SINCE };
    }
  }
  async function begin(by: HeldBy, productionId: string, reason: string): Promise<boolean> {
    if ((await heldBy(by, productionId)) !== undefined) return false;
    await records.replace(keyOf(by, productionId), { reason, since: new Date().toISOString() });
    return true;
  }
  async function end(by: HeldBy, productionId: string): Promise<boolean> {
    if ((await heldBy(by, productionId)) === undefined) return false;
    await records.replace(keyOf(by, productionId), null);
    return true;
  }

  return {
    async hold(productionId, reason) {
      await begin('interruption', productionId, reason);
    },
    async release(productionId) {
      await end('interruption', productionId);
    },
    pause: (productionId, reason) => begin('person', productionId, reason),
    async resume(productionId) {
      await end('interruption', productionId);
      return end('person', productionId);
    },
    inForce: async (productionId) =>
      (await heldBy('person', productionId)) ?? (await heldBy('interruption', productionId)),
  };
}

const RECORDS: Readonly<Record<HeldBy, string>> = { interruption: 'hold', person: 'pause' };

function keyOf(by: HeldBy, productionId: string): string {
  return `productions/${productionId}/${RECORDS[by]}`;
}
