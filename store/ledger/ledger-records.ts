import { z } from 'zod';
import { AssetRef, Sha256, TakeFrame } from '../../contracts/asset';
import { recordedCharge } from '../../contracts/money/credits';
import { FrozenModel } from '../../contracts/render/frozen';

/**
 * The records of one take, in the order in which they are written:
 * `intent` → `sent-1` → (`answered-1` → `accepted-1`) | `refused-1` | `unclear-1` → (`sent-2` → …) → `settled` →
 * `output`. If the answer to an execute states the task's end, `settled` precedes `accepted-1`.
 *
 * Further records:
 * - `also-accepted-1`: another task of a take that already has an accepted one;
 * - `decision-1`, …: how a parked take, which waits for a decision, continues;
 * - `pruned-1`, …: the output's bytes are about to be removed.
 *
 * All but `output` are written once. Times are ISO 8601.
 */

/** The paid take of another production whose output an alias reuses. An alias is a take that is never sent. */
export const AliasOf = z.looseObject({
  productionId: z.string(),
  shotId: z.string(),
  take: z.int().positive(),
  takeKey: Sha256,
});
export type AliasOf = z.infer<typeof AliasOf>;

/** The task that is about to be sent, and the render that asks for it. Written before the first `sent`. */
export const Intent = z.looseObject({
  takeKey: Sha256,
  askKey: Sha256,
  /** Position of the take among those with the same `askKey`, from 0. */
  count: z.int().nonnegative(),
  account: z.string(),
  renderId: z.string(),
  attempt: z.int().positive(),
  model: FrozenModel,
  /**
   * The parameters that will be sent, but with the hash or address of each file instead of a data URI. Never the API
   * key.
   */
  parameters: z.record(z.string(), z.unknown()),
  /** The hash of each frame before its color correction, by the parameter that sends the corrected frame. */
  carried: z.record(z.string(), Sha256).optional(),
  at: z.string(),
  /**
   * Present if the ledger had lost the take and a workflow or its history knew the task. The records of the take's
   * sending are restored from this field. If `asked` is false, ask key and parameters are unknown, and only the take
   * key identifies the request.
   */
  rebuilt: z.looseObject({ taskId: z.string(), acceptedAt: z.string(), at: z.string(), asked: z.boolean() }).optional(),
  /** Present in an alias. */
  alias: AliasOf.optional(),
});
export type Intent = z.infer<typeof Intent>;

/** A sending has begun. Created exclusively, before the first byte is sent. */
export const Sent = z.looseObject({
  at: z.string(),
  /** Until this time the sender may still wait for its answer. */
  until: z.string(),
  mode: z.enum(['submit', 'execute']),
  /**
   * The id of the attempt that created the record, so that the attempt recognizes its record if the creation reports an
   * error.
   */
  by: z.string().optional(),
  /** The lease (permission to send): the sending that it was granted for, and how long the task may take. */
  lease: z.looseObject({ sending: z.int().positive(), deadlineSeconds: z.number() }).optional(),
});
export type Sent = z.infer<typeof Sent>;

export const Accepted = z.looseObject({ taskId: z.string(), at: z.string() });
export type Accepted = z.infer<typeof Accepted>;

/**
 * The take that a task belongs to. Written after `answered` and before `accepted`, so that no task is accepted for two
 * takes.
 */
export const TaskOwner = z.looseObject({ productionId: z.string(), shotId: z.string(), take: z.int().positive() });

/** The gateway definitely did not accept the sending. `again`: whether the take may be sent again. */
export const Refused = z.looseObject({
  again: z.boolean(),
  reason: z.string(),
  at: z.string(),
  /** True if the refusal ended the sending's lease, so that another take may get a lease instead. */
  endsLease: z.boolean().optional(),
  /** Present if the account has no credits left, or if the gateway answered with a conflict. */
  kind: z.enum(['credits', 'conflict']).optional(),
});
export type Refused = z.infer<typeof Refused>;

/** It is unknown whether the gateway accepted the sending. */
export const Unclear = z.looseObject({ reason: z.string(), at: z.string() });
export type Unclear = z.infer<typeof Unclear>;

/** How a parked take continues, and who decided it. Numbered from 1. */
export const LedgerDecision = z.looseObject({
  kind: z.enum(['adopt', 'resubmit', 'skip', 'use', 'wait']),
  by: z.enum(['person', 'policy']),
  /** Number of the last sending before the decision; 0 if there was none. */
  afterSending: z.int().nonnegative(),
  /** Why the take was parked. */
  parkedFor: z.enum(['unclear', 'overdue', 'credits', 'uncollected', 'failed', 'budget']).optional(),
  taskId: z.string().optional(),
  asset: AssetRef.optional(),
  at: z.string(),
});
export type LedgerDecision = z.infer<typeof LedgerDecision>;

/** How the task ended, and its charge if the gateway states one. */
export const Settled = z.looseObject({
  taskId: z.string(),
  state: z.enum(['completed', 'failed']),
  credits: z.number().nullable().transform(recordedCharge),
  reason: z.string().nullable(),
  /** The text that a text model returned. */
  text: z.string().nullable(),
  /** The whole result of a completed task, or the start of the answer about a failed one; null if too long or lost. */
  raw: z.string().nullable(),
  at: z.string(),
});
export type Settled = z.infer<typeof Settled>;

/**
 * The gateway's answer, recorded as soon as it is read. If the process ends before it writes `accepted`, the next
 * process that decides about the take's payment writes that record.
 */
export const Answered = z.looseObject({
  taskId: z.string(),
  /** How the task ended; null if the answer does not say. Only the answer to an execute can say. */
  ended: Settled.nullable(),
  at: z.string(),
});
export type Answered = z.infer<typeof Answered>;

/**
 * The stored files of the take. Replaced when frames are added, when lost bytes are collected again, and when a person
 * gives a clip of their own.
 */
export const Output = z.looseObject({
  /** The task that produced the files; null for a person's own clip. */
  taskId: z.string().nullable(),
  asset: AssetRef,
  firstFrame: AssetRef.nullable(),
  lastFrame: TakeFrame.nullable(),
  warnings: z.array(z.string()).readonly(),
});
export type Output = z.infer<typeof Output>;

/** An output with the time of its record. A time after a prune shows that the bytes were collected again. */
export const NotedOutput = Output.extend({ at: z.string() });

/** A prune removes the output's bytes after it has written this record. */
export const Pruned = z.looseObject({ at: z.string() });
export type Pruned = z.infer<typeof Pruned>;
