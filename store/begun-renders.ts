import { z } from 'zod';
import { PRIORITIES } from '../contracts/arbiter';
import { AssetRef } from '../contracts/asset';
import { type PlannedShot } from '../contracts/plan';
import { type ProductionStatus } from '../contracts/status';
import { type Records } from './records';

/** The last render that was begun, and the account that pays for it. */
const Begun = z.looseObject({
  renderId: z.string(),
  production: AssetRef,
  account: z.string(),
  at: z.string(),
  /** Absolute path of the production file; absent if none is known. */
  path: z.string().optional(),
  /**
   * True if a program gave the production as an object. There is no file then, and no file may take the production's
   * name unasked.
   */
  given: z.boolean().optional(),
  /** Seconds by shot. They are no part of the frozen production, since they change nothing that is paid for. */
  deadlines: z.record(z.string(), z.number()).optional(),
  /** By shot, as the file had them when the render began. */
  policies: z
    .record(
      z.string(),
      z.object({
        onUnclear: z.enum(['park', 'resubmit']),
        retryFailed: z.int(),
        onFailure: z.enum(['park', 'skip', 'fail']).default('park'),
      }),
    )
    .optional(),
  /** What the plan was made from, as in `RenderBasis`; absent if that is lost. */
  plan: AssetRef.optional(),
  written: AssetRef.optional(),
  maxInFlight: z.int().nullable().optional(),
  unattended: z.boolean().optional(),
  priority: z.enum(PRIORITIES).optional(),
  /** The batch, if the render is one of its rows. */
  batch: z.string().optional(),
});
export type Begun = z.infer<typeof Begun>;

/** A render as its workflow has it, before or after its start. */
export type BegunRender = Pick<ProductionStatus, 'production' | 'renderId' | 'frozen' | 'basis' | 'startedAt'>;

/** The store's record of a render that begins. @param shots of its plan. */
export function begunOf(
  { renderId, frozen, basis, startedAt }: BegunRender,
  account: string,
  shots: readonly PlannedShot[],
): Begun {
  return {
    renderId,
    production: frozen,
    account,
    at: startedAt,
    deadlines: Object.fromEntries(shots.map(({ id, deadlineSeconds }) => [id, deadlineSeconds])),
    policies: Object.fromEntries(
      shots.map(({ id, onUnclear, retryFailed, onFailure }) => [id, { onUnclear, retryFailed, onFailure }]),
    ),
    ...basis,
  };
}

/** Records that a render is about to begin, for commands that run without a Temporal server. */
export function noteRender(records: Records, productionId: string, begun: Begun): Promise<void> {
  return records.replace(keyOf(productionId), begun);
}

export async function begunRender(records: Records, productionId: string): Promise<Begun | undefined> {
  const record = await records.read(keyOf(productionId));
  return record === undefined ? undefined : Begun.parse(record);
}

/** The id of the render that ended last. */
export async function endedRender(records: Records, productionId: string): Promise<string | undefined> {
  const record = await records.read(`productions/${productionId}/status`);
  return record === undefined ? undefined : Ended.parse(record).renderId;
}

const Ended = z.looseObject({ renderId: z.string() });

function keyOf(productionId: string): string {
  return `productions/${productionId}/render`;
}
