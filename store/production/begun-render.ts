import { z } from 'zod';
import { PRIORITIES } from '../../contracts/gateway/arbiter';
import { AssetRef } from '../../contracts/asset';
import { type PlannedShot } from '../../contracts/render/plan';
import { type ProductionStatus } from '../../contracts/status';

/** The record of a production's last begun render. */
export const Begun = z.looseObject({
  renderId: z.string(),
  production: AssetRef,
  account: z.string(),
  at: z.string(),
  /** Absolute path of the production file; absent if none is known. */
  path: z.string().optional(),
  /** True if a program gave the production as an object. A file may then use this id only with the option `id`. */
  given: z.boolean().optional(),
  /**
   * Deadlines in seconds, by shot. The frozen production does not contain them, since they do not affect what is paid
   * for.
   */
  deadlines: z.record(z.string(), z.number()).optional(),
  /** Policies by shot, from the render's plan. */
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
  /** The fields from `plan` to `priority` are the render's `RenderBasis`. They are absent if the basis is lost. */
  plan: AssetRef.optional(),
  written: AssetRef.optional(),
  maxInFlight: z.int().nullable().optional(),
  unattended: z.boolean().optional(),
  priority: z.enum(PRIORITIES).optional(),
  /** The batch, if the render is one of its rows. */
  batch: z.string().optional(),
});
export type Begun = z.infer<typeof Begun>;

/** The fields of a render's status that its record needs. */
export type BegunRender = Pick<ProductionStatus, 'production' | 'renderId' | 'frozen' | 'basis' | 'startedAt'>;

/** Makes the record of a render. @param shots the shots of the render's plan. */
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
