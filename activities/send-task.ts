import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import { type LinkedFrame, type RefusalKind } from '../contracts/activities';
import { type FileValuePolicy } from '../contracts/file-values';
import { type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { type SendingMode } from '../contracts/plan';
import { type TakeRef } from '../contracts/take';
import { EXECUTE_LIMIT_MS } from '../contracts/wire';
import { type GatewayClient, GatewayError, type PaidCallOptions, SUBMIT_TOTAL_MS, type TaskRequest } from '../gateway';
import {
  type Answered,
  type Intent,
  keptTake,
  ownTaskId,
  type SendingEnd,
  type Sent,
  type Store,
  TakeMismatch,
  type UsualTimes,
} from '../store';
import { type Passage } from './account-gate';
import { bookAnswer } from './book-answer';
import { type Execution } from './executes';
import { wireParameters } from './task-parameters';
import { failure } from './fail';
import { type EndedReading, settledRecord } from './settle-take';
import { isRefusedForNow, submitRefusal } from './submit-refusal';
import { notAcceptedNow, whileLedgerServes } from './translate-error';

export interface Sending {
  readonly take: TakeRef;
  /** What the ledger has of the take's ask. */
  readonly intent: Intent;
  /** Which sending of this take it is, from 1. */
  readonly n: number;
  readonly execution: Execution;
  readonly production: FrozenProduction;
  readonly shot: FrozenShot;
  readonly links: readonly LinkedFrame[];
  /** Learns what the gateway said. */
  readonly passage: Passage;
  /** What it is sent by, where limits are in force. */
  readonly lease?: NonNullable<Sent['lease']>;
  /** Asked once more when it is noted that it is sent: who looks for what is under way from now on finds it. */
  readonly maySend: () => Promise<boolean>;
}

/**
 * Sends a take once, if it may, and notes in the ledger what came of it.
 *
 * @returns only where it was refused for something that a person has to mend and the same take may go out afterwards,
 *   or throttled; else the ledger has the answer.
 */
export type SendTask = (sending: Sending) => Promise<NotAccepted | undefined>;

export type NotAccepted =
  | { readonly kind: RefusalKind; readonly reason: string }
  /** `retryAfterMs`: as the gateway asks; null where it does not. `error`: what says so to who cannot wait his turn. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | null; readonly error: Error };

export interface SendDependencies {
  readonly gateway: GatewayClient;
  readonly store: Store;
  readonly account: string;
  readonly policy: FileValuePolicy;
  /** Told how long executes take, by which their model is executed or submitted the next time. */
  readonly usualTimes: UsualTimes;
}

/** Longer than the longest request, by the time that noting its answer may take. */
const NOTING_MS = 5_000;

/** A request that starts later could outlast the time until which others wait for its answer. */
const START_WITHIN_MS = 3_000;

/** How long an answer that cannot be noted is tried again: a full disk may be cleared meanwhile. */
const NOTE_FOR_MS = 60_000;
const NOTE_EVERY_MS = 1_000;

/**
 * Builds the one step in which money is spent.
 *
 * `sent-n` is created exclusively and flushed right before the request; who does not create it does not send. The
 * time in which a crash leaves the take unclear is therefore the time of the request itself.
 *
 * @throws GatewayThrottled, GatewayDown, WorkerStalled, LedgerUnavailable (retried), FileNotSendable, AssetMissing
 *   (final); whatever is thrown, the ledger says whether the take was sent.
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
    if (!(await beginOrGiveBack(store, take, n, sent))) return undefined;
    if (!(await maySendNow(maySend, store, take, n))) return undefined;
    // The last thing before the request, with nothing awaited between them.
    if (Date.now() - Date.parse(sent.at) > START_WITHIN_MS) {
      const reason = 'this worker stood still right before it sent; nothing was sent';
      await note(store, take, n, { kind: 'refused', record: { reason, again: true, at: now() } });
      // Another attempt may long have taken over, and a person have been asked: this one decides nothing any more.
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
      // Before anything else: from here on whoever finds the answer books it.
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
      // Recorded before the ledger is written: until then, other tasks are executed too.
      await execution.failed(error, tookMs);
      await note(store, take, n, sendingEnd(error));
      await passage.failed(error, { mode, tookMs });
      // Without an answer it counts as slow: tasks that need longer are to be submitted.
      if (mode === 'execute' && error.acceptance === 'unclear') {
        await usualTimes.note(take.model.id, Math.max(EXECUTE_LIMIT_MS, tookMs));
      }
      const refusal = submitRefusal(error);
      if (error.acceptance === 'no' && isRefusedForNow(refusal)) {
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
 * Notes the answer before anything else. A ledger that was replaced since the request has neither take nor sending: then
 * the take is noted anew, since its task is paid for.
 *
 * @returns whether the answer is still to be booked.
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
    const kept = await keptTake(store, paid, () => Promise.resolve({ ...intent, asked: true }));
    if (answered.ended !== null) await store.ledger.settle(kept.take, answered.ended);
    return false;
  }
}

/** What may not be sent any more, or nobody can say, is noted as not sent. */
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
    await refuse('the store could not be asked whether it may be sent');
    throw error;
  }
  if (!isAllowed) await refuse('its turn at the gateway is over');
  return isAllowed;
}

/**
 * Acquires the right to send. If that fails but its record was created, the sending is ended as refused: nothing was
 * sent, and a sending without an end would become unclear.
 *
 * @throws LedgerUnavailable
 */
async function beginOrGiveBack({ ledger }: Store, take: TakeRef, n: number, sent: Sent): Promise<boolean> {
  try {
    return await ledger.beginSending(take, n, sent);
  } catch (error) {
    await giveBack(ledger, take, n, sent).catch((trouble: unknown) => {
      log.warn('the record of a sending that failed to begin cannot be read', { reason: String(trouble) });
    });
    // Nothing was sent: the next attempt claims its take anew.
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
  /** Null where the answer to an execute shows none. */
  readonly taskId: string | null;
  /** How the task ended, where the answer says so. */
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
      record: { ...record, again: isRefusedForNow(refusal), ...endsLease, ...kind },
    };
  }
  return { kind: 'unclear', record };
}

function describe(error: GatewayError): string {
  return error.body === '' ? error.message : `${error.message}: ${error.body}`;
}

async function note({ ledger }: Store, take: TakeRef, n: number, end: SendingEnd): Promise<void> {
  const words = `the answer to sending ${n} of take ${take.take} of ${take.shotId}: ${end.kind} ${JSON.stringify(end.record)}`;
  await untilNoted(words, () => ledger.endSending(take, n, end));
}

/**
 * Notes what came of a request, whatever it takes: without the note a sure answer would become an unclear one.
 *
 * @throws LedgerUnavailable after a while; its message has the answer, task id included.
 */
async function untilNoted<T>(words: string, step: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + NOTE_FOR_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      const trouble = `the ledger does not take ${words}`;
      if (tries === 1) log.error(trouble);
      if (Date.now() > giveUpAt || error instanceof TakeMismatch)
        throw failure('LedgerUnavailable', trouble, { cause: error });
      await sleep(NOTE_EVERY_MS);
    }
  }
}

function now(plusMs = 0): string {
  return new Date(Date.now() + plusMs).toISOString();
}
