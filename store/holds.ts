import { z } from 'zod';
import { type Records } from './records';

/** Why and since when (ISO 8601) nothing new is bought for a production. */
const HoldRecord = z.looseObject({ reason: z.string(), since: z.string() });

/** Whoever brings up a worker lets an interrupted production wait; a person pauses one. */
export type HeldBy = 'interruption' | 'person';

export interface Hold {
  readonly by: HeldBy;
  readonly reason: string;
  readonly since: string;
}

/**
 * Productions for which nothing new is bought until a person says so. What is paid for is collected all the same.
 *
 * The hold of an interrupted production is there since whoever brings up a worker would buy the rest of it otherwise; a
 * render of the production releases it. A person's hold outlives that, and crashes: only `resume` ends it. Each has a
 * record of its own, so that neither is lost to a change of the other.
 */
export interface Holds {
  /** Holds a production that was interrupted. A hold that is there already keeps its reason and time. */
  hold(productionId: string, reason: string): Promise<void>;
  /** Ends the hold of an interruption, and no person's. */
  release(productionId: string): Promise<void>;
  /** Holds a production by a person's word. False where it is paused already; that pause keeps its reason and time. */
  pause(productionId: string, reason: string): Promise<boolean>;
  /** Ends every hold. False where nobody had paused the production. */
  resume(productionId: string): Promise<boolean>;
  /** The hold in force: the person's before the interruption's. */
  held(productionId: string): Promise<Hold | undefined>;
}

/** Records are never removed: one that is no longer in force holds null. */
export function createHolds(records: Records): Holds {
  async function heldBy(by: HeldBy, productionId: string): Promise<Hold | undefined> {
    const record = HoldRecord.nullish().parse(await records.read(keyOf(by, productionId)));
    return record == null ? undefined : { by, reason: record.reason, since: record.since };
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
    held: async (productionId) =>
      (await heldBy('person', productionId)) ?? (await heldBy('interruption', productionId)),
  };
}

const RECORDS: Readonly<Record<HeldBy, string>> = { interruption: 'hold', person: 'pause' };

function keyOf(by: HeldBy, productionId: string): string {
  return `productions/${productionId}/${RECORDS[by]}`;
}
