import { randomUUID } from 'node:crypto';
import { log } from '@temporalio/activity';
import { type LinkedFrame, type RefusalKind } from '../../contracts/activities';
import { type FileValuePolicy } from '../../contracts/file/file-values';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { type SendingMode } from '../../contracts/render/plan';
import { type TakeRef } from '../../contracts/render/take';
import { EXECUTE_LIMIT_MS } from '../../contracts/gateway/wire';
import {
  type GatewayClient,
  GatewayError,
  type PaidCallOptions,
  REFUSALS,
  SUBMIT_TOTAL_MS,
  submitRefusal,
  type TaskRequest,
} from '../../gateway';
import {
  type Answered,
  type Intent,
  ensureTake,
  ownTaskId,
  type SendingEnd,
  type Sent,
  type Store,
  TakeMismatch,
  type UsualTimes,
} from '../../store';
import { type Passage } from '../account/account-gate';
import { bookAnswer } from './book-answer';
import { type Execution } from '../account/executes';
import { untilNoted } from './until-noted';
import { wireParameters } from '../request/task-parameters';
import { failure } from '../fail';
import { type EndedReading, settledRecord } from '../settle-take';
import { notAcceptedNow, whileLedgerServes } from '../translate-error';

export interface Sending {
  readonly take: TakeRef;
  /** The take's intent: its request, and the render that made the request. */
  readonly intent: Intent;
  /** Number of this sending of the take, from 1. */
  readonly n: number;
  readonly execution: Execution;
  readonly production: FrozenProduction;
  readonly shot: FrozenShot;
  readonly links: readonly LinkedFrame[];
  /** Reports the outcome to the account's gate. */
  readonly passage: Passage;
  /** The lease of this sending (the arbiter's permission to send); absent if none is needed. */
  readonly lease?: NonNullable<Sent['lease']>;
  /**
   * Whether the take may still be sent: the lease is still valid, and Temporal still waits for this attempt. Called
   * after `sent-n` is written. If the lease or the attempt has ended before the call, the call returns false or throws.
   * If either ends later, the next attempt or the arbiter finds `sent-n`.
   */
  readonly maySend: () => Promise<boolean>;
}

/**
 * Sends a take once, if it may be sent, and records the outcome in the ledger.
 *
 * @returns the refusal, if the take was throttled or the account lacks credits. Otherwise undefined: the ledger has the
 *   outcome, or another attempt has begun this sending.
 */
export type SendTask = (sending: Sending) => Promise<NotAccepted | undefined>;

export type NotAccepted =
  | { readonly kind: RefusalKind; readonly reason: string }
  /**
   * `retryAfterMs`: the delay that the gateway asks for; null if there is none. `error`: to be thrown if the account
   * has no arbiter. If it has one, the take waits for a lease instead.
   */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | null; readonly error: Error };

export interface SendDependencies {
  readonly gateway: GatewayClient;
  readonly store: Store;
  readonly account: string;
  readonly policy: FileValuePolicy;
  /** Records how long executes take. These times decide whether the model's later tasks are executed or submitted. */
  readonly usualTimes: UsualTimes;
}

/** Time for recording the answer, added to the request's time limit. */
const NOTING_MS = 5_000;

/**
 * Longest time from `sent-n` to the request. A later request could outlast the time that other attempts wait for its
 * answer.
 */
const START_WITHIN_MS = 3_000;

/**
 * Makes the only step that spends money.
 *
 * The record `sent-n` is created exclusively and flushed right before the request. Only the process that creates the
 * record may send. So a crash leaves the take unclear only between this record and the record of the outcome.
 *
 * @throws GatewayDown, KeyRefused, WorkerStalled, LedgerUnavailable (retried), FileNotSendable, AssetMissing (final).
 *   The ledger then says whether the take was sent. If the outcome cannot be recorded, the take becomes unclear.
 */
export function createSendTask({ gateway, store, account, policy, usualTimes }: SendDependencies): SendTask {
  const { ledger } = store;
  return async ({ take, intent, n, execution, production, shot, links, passage, lease, maySend }) => {
    const parameters = await wireParameters(production, shot, links, store, policy);
    const { mode } = execution;
    const request = { model: take.model, parameters };
    const options = { idempotencyKey: take.takeKey };
    const sent = {
      ...{ at: now(), until: now(SUBMIT_TOTAL_MS + NOTING_MS), mode, by: randomUUID() },
      ...(lease === undefined ? {} : { lease }),
    };
    const begunMs = performance.now();
    if (!(await beginOrGiveBack(store, take, n, sent))) return undefined;
    if (!(await maySendNow(maySend, store, take, n))) return undefined;
    // This check must come right before the request, without an await in between.
    if (Math.max(Date.now() - Date.parse(sent.at), performance.now() - begunMs) > START_WITHIN_MS) {
      const reason = 'this worker stood still right before it sent; nothing was sent';
      await note(store, take, n, { kind: 'refused', record: { reason, again: true, at: now() } });
      // Do not send again here: meanwhile another attempt may have sent the take, or a person may have decided about
      // it. Temporal's next attempt starts from the ledger.
      throw failure('WorkerStalled', reason);
    }
    const askedAtMs = Date.now();
    try {
      passage.asks();
      const answer = await ask(gateway, mode, request, options);
      execution.answered();
      const tookMs = Date.now() - askedAtMs;
      const taskId = answer.taskId ?? ownTaskId(take.takeKey, n);
      const ended = answer.ended === null ? null : settledRecord(taskId, answer.ended);
      const answered = { taskId, ended, at: now() };
      // Record the answer first, so that any process that finds the answer can complete the other records.
      const words = `task ${taskId} of take ${take.take} of ${take.shotId}`;
      const isToBook = await untilNoted(words, () => noteAnswer(store, { take, intent, n, answered }));
      const book = (): ReturnType<typeof bookAnswer> => bookAnswer(ledger, { take, account, n, answered });
      const trouble = isToBook ? await untilNoted(words, book) : undefined;
      if (trouble !== undefined) throw trouble;
      if (answer.ended?.state === 'completed') await usualTimes.note(take.model.id, tookMs);
      await passage.accepted(answer.taskId === null ? null : { taskId, model: take.model }, mode);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const tookMs = Date.now() - askedAtMs;
      // Report this failure before the ledger is written: until the report, other tasks of the model are executed too.
      await execution.failed(error, tookMs);
      await note(store, take, n, sendingEnd(error));
      await passage.failed(error, { mode, tookMs });
      // An unclear execute counts as slow: it may have exceeded the time limit of executes.
      if (mode === 'execute' && error.acceptance === 'unclear') {
        await usualTimes.note(take.model.id, EXECUTE_LIMIT_MS);
      }
      const refusal = submitRefusal(error);
      if (error.acceptance === 'no' && REFUSALS[refusal].again) {
        if (refusal === 'credits') return { kind: 'credits', reason: describe(error) };
        const again = notAcceptedNow(error, n);
        if (refusal !== 'throttled') throw again;
        return { kind: 'throttled', retryAfterMs: error.retryAfterMs ?? null, error: again };
      }
    }
    return undefined;
  };
}

/**
 * Records the answer. If the ledger was replaced since the request, the ledger has neither take nor sending. Then the
 * take is recorded again, since its task is paid for.
 *
 * @returns true if the answer's records must still be completed.
 */
async function noteAnswer(
  store: Store,
  { take, intent, n, answered }: Pick<Sending, 'take' | 'intent' | 'n'> & { readonly answered: Answered },
): Promise<boolean> {
  try {
    await store.ledger.endSending(take, n, { kind: 'answered', record: answered });
    return true;
  } catch (error) {
    if (!(error instanceof TakeMismatch)) throw error;
    const paid = { take, taskId: answered.taskId, acceptedAt: answered.at };
    const kept = await ensureTake(store.ledger, paid, () => Promise.resolve({ ...intent, asked: true }));
    if (answered.ended !== null) await store.ledger.settle(kept.take, answered.ended);
    return false;
  }
}

/** Ends the sending as refused if the take may no longer be sent, or if the check fails. */
async function maySendNow(maySend: () => Promise<boolean>, store: Store, take: TakeRef, n: number): Promise<boolean> {
  const refuse = (reason: string): Promise<void> =>
    note(store, take, n, {
      kind: 'refused',
      record: { reason: `${reason}; nothing was sent`, again: true, at: now() },
    });
  let isAllowed: boolean;
  try {
    isAllowed = await maySend();
  } catch (error) {
    await refuse('it could not be checked whether it may be sent');
    throw error;
  }
  if (!isAllowed) await refuse('its turn at the gateway is over');
  return isAllowed;
}

/**
 * Claims the right to send by creating `sent-n`. If the call fails but has created the record, ends the sending as
 * refused: nothing was sent, and a sending without an end would become unclear.
 *
 * @throws LedgerUnavailable
 */
async function beginOrGiveBack({ ledger }: Store, take: TakeRef, n: number, sent: Sent): Promise<boolean> {
  try {
    return await ledger.beginSending(take, n, sent);
  } catch (error) {
    await giveBack(ledger, take, n, sent).catch((trouble: unknown) => {
      log.warn('a sending failed to begin, and could not be recorded as refused', {
        reason: String(trouble),
      });
    });
    // Nothing was sent. The next attempt claims its take again.
    if (error instanceof TakeMismatch) throw failure('LedgerUnavailable', error.message, { cause: error });
    return whileLedgerServes(() => Promise.reject(error as Error));
  }
}

async function giveBack(ledger: Store['ledger'], take: TakeRef, n: number, { by }: Sent): Promise<void> {
  const left = (await ledger.take(take))?.sendings.find((one) => one.n === n);
  if (by === undefined || left?.sent?.by !== by) return;
  const reason = 'the store failed while it recorded the right to send; nothing was sent';
  await ledger.endSending(take, n, { kind: 'refused', record: { reason, again: true, at: now() } });
}

interface Answer {
  /** Null if the answer to an execute has no usable task id. */
  readonly taskId: string | null;
  /** How the task ended, if the answer says so. */
  readonly ended: EndedReading | null;
}

async function ask(
  gateway: GatewayClient,
  mode: SendingMode,
  request: TaskRequest,
  options: PaidCallOptions,
): Promise<Answer> {
  if (mode === 'submit') return { ...(await gateway.submit(request, options)), ended: null };
  const { taskId, ...reading } = await gateway.execute(request, options);
  return { taskId, ended: reading.state === 'pending' ? null : reading };
}

function sendingEnd(error: GatewayError): SendingEnd {
  const record = { reason: describe(error), at: now() };
  if (error.acceptance === 'no') {
    const refusal = submitRefusal(error);
    const endsLease = refusal === 'throttled' || refusal === 'credits' ? { endsLease: true } : {};
    const kind = refusal === 'credits' || refusal === 'conflict' ? { kind: refusal } : {};
    return {
      kind: 'refused',
      record: { ...record, again: REFUSALS[refusal].again, ...endsLease, ...kind },
    };
  }
  return { kind: 'unclear', record };
}

function describe(error: GatewayError): string {
  return error.body === '' ? error.message : `${error.message}: ${error.body}`;
}

async function note({ ledger }: Store, take: TakeRef, n: number, end: SendingEnd): Promise<void> {
  const words = `the outcome of sending ${n} of take ${take.take} of ${take.shotId}: ${end.kind} ${JSON.stringify(end.record)}`;
  await untilNoted(words, () => ledger.endSending(take, n, end));
}

function now(plusMs = 0): string {
  return new Date(Date.now() + plusMs).toISOString();
}
