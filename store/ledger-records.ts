import { z } from 'zod';
import { AssetRef, Sha256, TakeFrame } from '../contracts/asset';
import { FrozenModel } from '../contracts/frozen';

/**
 * The records of one take, in the order in which they come about:
 * `intent` → `sent-1` → (`answered-1` → `accepted-1`) | `refused-1` | `unclear-1` → (`sent-2` → …) → `settled` → `output`.
 * Beside them, `also-accepted-1`: an answer that came when another task had been adopted; and `decision-1` and further:
 * how a parked take goes on; and `pruned-1` and further: a person had the bytes of its output freed.
 * All but `output` are written once.
 * Times are ISO 8601.
 */

/** The take of another production that an alias stands for: the one that was paid for. */
export const AliasOf = z.looseObject({
  productionId: z.string(),
  shotId: z.string(),
  take: z.int().positive(),
  takeKey: Sha256,
});
export type AliasOf = z.infer<typeof AliasOf>;

/** What is about to be sent, and who asked for it. Written before the first `sent`. */
export const Intent = z.looseObject({
  takeKey: Sha256,
  askKey: Sha256,
  /** How many takes before it asked for the same. */
  count: z.int().nonnegative(),
  account: z.string(),
  renderId: z.string(),
  attempt: z.int().positive(),
  model: FrozenModel,
  /** As they will be sent, files named by hash or address; never a data URI, never the key. */
  parameters: z.record(z.string(), z.unknown()),
  /** Hashes of the frames as they were cut, by the parameters that are sent them with their colour corrected. */
  carried: z.record(z.string(), Sha256).optional(),
  at: z.string(),
  /**
   * Present where the ledger had lost the take and a workflow still knew its task: the records of its sending are made
   * from this. Without `asked` neither ask key nor parameters are known, and the ask is told by the take key alone.
   */
  rebuilt: z.looseObject({ taskId: z.string(), acceptedAt: z.string(), at: z.string(), asked: z.boolean() }).optional(),
  /** Present in an alias, which is never sent: what it left is what that take left. */
  alias: AliasOf.optional(),
});
export type Intent = z.infer<typeof Intent>;

/** Somebody is sending: created exclusively right before the first byte leaves. */
export const Sent = z.looseObject({
  at: z.string(),
  /** Until then the sender may still be waiting for its answer. */
  until: z.string(),
  mode: z.enum(['submit', 'execute']),
  /** The id of the attempt that created it, so that the attempt can recognize its own record. */
  by: z.string().optional(),
  /** The lease of the account's arbiter that it was sent by: for which sending that was, and how long its task may take. */
  lease: z.looseObject({ sending: z.int().positive(), deadlineSeconds: z.number() }).optional(),
});
export type Sent = z.infer<typeof Sent>;

export const Accepted = z.looseObject({ taskId: z.string(), at: z.string() });
export type Accepted = z.infer<typeof Accepted>;

/** Which take a task is of. Written after `answered` and before `accepted`, so that no two takes are accepted with one task. */
export const TaskOwner = z.looseObject({ productionId: z.string(), shotId: z.string(), take: z.int().positive() });

/** Surely not accepted. `again` says whether the same take may be sent once more. */
export const Refused = z.looseObject({
  again: z.boolean(),
  reason: z.string(),
  at: z.string(),
  /** The lease that it was sent by, if any, is over: its place is given to others. */
  endsLease: z.boolean().optional(),
  /** Present where the account has no credits left, or where the gateway says that it is in conflict with something. */
  kind: z.enum(['credits', 'conflict']).optional(),
});
export type Refused = z.infer<typeof Refused>;

/** Nobody can say whether it was accepted. */
export const Unclear = z.looseObject({ reason: z.string(), at: z.string() });
export type Unclear = z.infer<typeof Unclear>;

/** How a parked take goes on: who said so, and what. Numbered from 1. */
export const LedgerDecision = z.looseObject({
  kind: z.enum(['adopt', 'resubmit', 'skip', 'use', 'wait']),
  by: z.enum(['person', 'policy']),
  /** The last sending at that time; 0 where there was none. */
  afterSending: z.int().nonnegative(),
  /** What it answers. */
  parkedFor: z.enum(['unclear', 'overdue', 'credits', 'uncollected', 'failed', 'budget']).optional(),
  taskId: z.string().optional(),
  asset: AssetRef.optional(),
  at: z.string(),
});
export type LedgerDecision = z.infer<typeof LedgerDecision>;

/** How the task ended, and what it cost where the gateway says so. */
export const Settled = z.looseObject({
  taskId: z.string(),
  state: z.enum(['completed', 'failed']),
  credits: z.number().nullable(),
  reason: z.string().nullable(),
  /** The answer's text for a model that leaves text. */
  text: z.string().nullable(),
  /** What came: the result of a completed task, the body of a failed one; null where it is too long to keep. */
  raw: z.string().nullable(),
  at: z.string(),
});
export type Settled = z.infer<typeof Settled>;

/** What the gateway answered, noted as soon as it is read: whoever finds it unbooked books it as `accepted`. */
export const Answered = z.looseObject({
  taskId: z.string(),
  /** Where the answer says how the task ended, as that of an execute does. */
  ended: Settled.nullable(),
  at: z.string(),
});
export type Answered = z.infer<typeof Answered>;

/**
 * What the take left in the store. Replaced when lost bytes were collected anew, and when a person gives a clip; so it
 * says whose it is.
 */
export const Output = z.looseObject({
  /** Null for a clip of the person's own. */
  taskId: z.string().nullable(),
  asset: AssetRef,
  firstFrame: AssetRef.nullable(),
  lastFrame: TakeFrame.nullable(),
  warnings: z.array(z.string()).readonly(),
});
export type Output = z.infer<typeof Output>;

/** The same as it is noted: after a prune it tells whether the bytes were collected anew. */
export const NotedOutput = Output.extend({ at: z.string() });

/** Its bytes were freed at that time. */
export const Pruned = z.looseObject({ at: z.string() });
export type Pruned = z.infer<typeof Pruned>;
