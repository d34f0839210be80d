import { z } from 'zod';
import { type Records } from './records';

/** Why, and since when (ISO 8601), nothing new is bought for a production. */
const HoldRecord = z.looseObject({ reason: z.string(), since: z.string() });

/** `interruption`: a worker was started and the production was not asked for. `person`: a person paused it. */
export type HeldBy = 'interruption' | 'person';

export interface Hold {
  readonly by: HeldBy;
  readonly reason: string;
  readonly since: string;
}

/**
 * Productions for which nothing new is bought until a person says so. What is paid for is still collected.
 *
 * An interrupted production is held because a new worker would otherwise buy the rest of it. A render of the production
 * releases that hold. A person's pause outlives renders and crashes; only `resume` ends it. Each kind has its own
 * record, so a change of one cannot lose the other.
 */
export interface Holds {
  /** Holds an interrupted production. An existing hold keeps its reason and time. */
  hold(productionId: string, reason: string): Promise<void>;
  /** Ends the hold of an interruption. A person's pause stays. */
  release(productionId: string): Promise<void>;
  /** Pauses a production for a person. False if it is paused already; that pause keeps its reason and time. */
  pause(productionId: string, reason: string): Promise<boolean>;
  /** Ends every hold. False if no person had paused the production. */
  resume(productionId: string): Promise<boolean>;
  /** The hold in force. A person's pause comes before an interruption. */
  held(productionId: string): Promise<Hold | undefined>;
}

/** Records are never removed. A hold that has ended is null. */
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
