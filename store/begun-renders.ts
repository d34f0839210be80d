import { z } from 'zod';
import { PRIORITIES } from '../contracts/arbiter';
import { AssetRef } from '../contracts/asset';
import { type PlannedShot } from '../contracts/plan';
import { type ProductionStatus } from '../contracts/status';
import { type Records } from './records';

/** The render that was begun last, and the account that pays for it. */
const Begun = z.looseObject({
  renderId: z.string(),
  production: AssetRef,
  account: z.string(),
  at: z.string(),
  /** Absolute path of the production file, in one record with what it says; absent where no file is known. */
  path: z.string().optional(),
  /** True where a program gave it as an object: there is no file, and no file may take its name by the way. */
  given: z.boolean().optional(),
  /** Seconds by shot; no part of the frozen production, since they change nothing that is paid for. */
  deadlines: z.record(z.string(), z.number()).optional(),
  /** By shot, as the file had it when the render began. */
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
  /** What it was worked out from, as `RenderBasis` has it; absent where that is lost. */
  plan: AssetRef.optional(),
  written: AssetRef.optional(),
  maxInFlight: z.int().nullable().optional(),
  unattended: z.boolean().optional(),
  priority: z.enum(PRIORITIES).optional(),
  /** Present where it was begun as a row of this batch. */
  batch: z.string().optional(),
});
export type Begun = z.infer<typeof Begun>;

/** A render as its workflow has it, or is about to. */
export type BegunRender = Pick<ProductionStatus, 'production' | 'renderId' | 'frozen' | 'basis' | 'startedAt'>;

/** What the store has to know of a render that begins. @param shots of its plan. */
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

/** Notes that a render is about to begin, for those who look while no Temporal server runs. */
export function noteRender(records: Records, productionId: string, begun: Begun): Promise<void> {
  return records.replace(keyOf(productionId), begun);
}

export async function begunRender(records: Records, productionId: string): Promise<Begun | undefined> {
  const record = await records.read(keyOf(productionId));
  return record === undefined ? undefined : Begun.parse(record);
}

/** The render with which the production last ended. */
export async function endedRender(records: Records, productionId: string): Promise<string | undefined> {
  const record = await records.read(`productions/${productionId}/status`);
  return record === undefined ? undefined : Ended.parse(record).renderId;
}

const Ended = z.looseObject({ renderId: z.string() });

function keyOf(productionId: string): string {
  return `productions/${productionId}/render`;
}
