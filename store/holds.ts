import { z } from 'zod';
import { type Records } from './records';

/** Why and since when (ISO 8601) nothing new is bought for a production. */
const Hold = z.looseObject({ reason: z.string(), since: z.string() });
export type Hold = z.infer<typeof Hold>;

/**
 * Productions for which nothing new is bought until a person says so. What is paid for is collected all the same.
 *
 * A hold is for a production that was interrupted: without it, whoever brings up a worker would buy the rest of it.
 */
export interface Holds {
  /** A hold that is there already keeps its reason and time. */
  hold(productionId: string, reason: string): Promise<void>;
  release(productionId: string): Promise<void>;
  held(productionId: string): Promise<Hold | undefined>;
}

/** Records are never removed: the one of a production that was released holds null. */
export function createHolds(records: Records): Holds {
  const keyOf = (productionId: string): string => `productions/${productionId}/hold`;

  async function held(productionId: string): Promise<Hold | undefined> {
    return Hold.nullish().parse(await records.read(keyOf(productionId))) ?? undefined;
  }
  return {
    held,
    async hold(productionId, reason) {
      if ((await held(productionId)) !== undefined) return;
      await records.replace(keyOf(productionId), { reason, since: new Date().toISOString() } satisfies Hold);
    },
    async release(productionId) {
      if ((await held(productionId)) !== undefined) await records.replace(keyOf(productionId), null);
    },
  };
}
