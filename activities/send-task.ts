import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import { type LinkedFrame, type RefusalKind } from '../contracts/activities';
import { type FileValuePolicy } from '../contracts/file-values';
import { type FrozenProduction, type FrozenShot } from '../contracts/frozen';
import { type TakeRef } from '../contracts/take';
import { type GatewayClient, GatewayError, SUBMIT_TOTAL_MS } from '../gateway';
import { type SendingEnd, type Store } from '../store';
import { type AccountGate } from './account-gate';
import { wireParameters } from './task-parameters';
import { failure } from './fail';
import { settledRecord } from './settle-take';
import { isRefusedForNow, notAcceptedNow, whileLedgerServes } from './translate-error';

export type SendingMode = 'submit' | 'execute';

export interface Sending {
  readonly take: TakeRef;
  /** Which sending of this take it is, from 1. */
  readonly n: number;
  readonly mode: SendingMode;
  readonly production: FrozenProduction;
  readonly shot: FrozenShot;
  readonly links: readonly LinkedFrame[];
}

/**
 * Sends a take once, if it may, and notes in the ledger what came of it.
 *
 * @returns only where it was refused for something that a person has to mend and the same take may go out afterwards;
 *   else the ledger has the answer.
 */
export type SendTask = (
  sending: Sending,
) => Promise<{ readonly kind: RefusalKind; readonly reason: string } | undefined>;

/** Payment Required. Source: RFC 9110 §15.5.3. */
const NO_CREDITS = 402;

export interface SendDependencies {
  readonly gateway: GatewayClient;
  readonly store: Store;
  readonly gate: AccountGate;
  readonly policy: FileValuePolicy;
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
export function createSendTask({ gateway, store, gate, policy }: SendDependencies): SendTask {
  const { ledger } = store;
  return async ({ take, n, mode, production, shot, links }) => {
    const parameters = await wireParameters(production, shot, links, store, policy);
    const request = { model: take.model, parameters };
    const options = { idempotencyKey: take.takeKey };
    const sent = { at: now(), until: now(SUBMIT_TOTAL_MS + NOTING_MS), mode };
    if (!(await whileLedgerServes(() => ledger.beginSending(take, n, sent)))) return undefined;
    if (Date.now() - Date.parse(sent.at) > START_WITHIN_MS) {
      const reason = 'this worker stood still right before it sent; nothing was sent';
      await note(store, take, n, { kind: 'refused', record: { reason, again: true, at: now() } });
      // Another attempt may long have taken over, and a person have been asked: this one decides nothing any more.
      throw failure('WorkerStalled', reason);
    }
    try {
      if (mode === 'submit') {
        const { taskId } = await gateway.submit(request, options);
        await note(store, take, n, { kind: 'accepted', record: { taskId, at: now() } });
      } else {
        const reading = await gateway.execute(request, options);
        const taskId = reading.taskId ?? `execute-${take.takeKey.slice(0, 16)}`;
        await note(store, take, n, { kind: 'accepted', record: { taskId, at: now() } });
        if (reading.state !== 'pending') await ledger.settle(take, settledRecord(taskId, reading));
      }
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      await note(store, take, n, sendingEnd(error));
      await gate.closeFor(error);
      if (error.acceptance === 'no' && isRefusedForNow(error)) {
        if (error.status === NO_CREDITS) return { kind: 'credits', reason: describe(error) };
        throw notAcceptedNow(error, n);
      }
    }
    return undefined;
  };
}

function sendingEnd(error: GatewayError): SendingEnd {
  const record = { reason: describe(error), at: now() };
  if (error.acceptance === 'no') return { kind: 'refused', record: { ...record, again: isRefusedForNow(error) } };
  return { kind: 'unclear', record };
}

function describe(error: GatewayError): string {
  return error.body === '' ? error.message : `${error.message}: ${error.body}`;
}

/**
 * Notes how a sending ended, whatever it takes: without the note a sure answer would become an unclear one.
 *
 * @throws LedgerUnavailable after a while; its message has the answer, task id included.
 */
async function note({ ledger }: Store, take: TakeRef, n: number, end: SendingEnd): Promise<void> {
  const giveUpAt = Date.now() + NOTE_FOR_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      await ledger.endSending(take, n, end);
      return;
    } catch (error) {
      const answer = `${end.kind} ${JSON.stringify(end.record)}`;
      const words = `the ledger does not take the answer to sending ${n} of take ${take.take} of ${take.shotId}: ${answer}`;
      if (tries === 1) log.error(words);
      if (Date.now() > giveUpAt) throw failure('LedgerUnavailable', words, { cause: error });
      await sleep(NOTE_EVERY_MS);
    }
  }
}

function now(plusMs = 0): string {
  return new Date(Date.now() + plusMs).toISOString();
}
