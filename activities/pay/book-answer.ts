import { log } from '@temporalio/activity';
import { type TakeRef } from '../../contracts/render/take';
import { GatewayError } from '../../gateway';
import {
  type Answered,
  completeRebuilt,
  isOwnTaskId,
  isSameTake,
  type Ledger,
  type Sending,
  type Store,
  type TakeAddress,
  type TakeHistory,
} from '../../store';
import { whileLedgerServes } from '../translate-error';

/** The gateway's answer to the nth sending of a take, as recorded in the ledger. */
export interface AnswerToBook {
  readonly take: TakeRef;
  readonly account: string;
  readonly n: number;
  readonly answered: Answered;
}

/**
 * Completes the records of an answer: claims the task for its take, records the task's end if the answer has it, and
 * records the acceptance.
 *
 * Safe to repeat after an interruption at any step, and to run concurrently. If the sending process ends before the
 * last step, another process completes the records.
 *
 * @returns an error if the task belongs to another take; the sending is then recorded as unclear. Otherwise undefined.
 */
export async function bookAnswer(
  ledger: Ledger,
  { take, account, n, answered }: AnswerToBook,
): Promise<GatewayError | undefined> {
  const { taskId, ended, at } = answered;
  const adopted = isOwnTaskId(take.takeKey, taskId) ? await acceptedAs(ledger, take, n) : undefined;
  if (adopted !== undefined) {
    // The gateway's answer had no task id: `taskId` was made by Dailies. The sending is accepted already, and one
    // request makes one task. So the answer is about the accepted task, which a person may have adopted.
    if (ended !== null) await ledger.settle(take, { ...ended, taskId: adopted });
    return undefined;
  }
  const owner = await ledger.claimTask(take, { account, taskId, model: take.model });
  if (!isSameTake(owner, take)) {
    const error = taskOfAnother(taskId, owner);
    await ledger.endSending(take, n, { kind: 'unclear', record: { reason: error.message, at } });
    return error;
  }
  // Record the end first. Any process that finds the take accepted needs the end, and cannot read it from the gateway
  // if the answer had no task id.
  if (ended !== null) await ledger.settle(take, ended);
  const record = { taskId, at };
  if (await ledger.endSending(take, n, { kind: 'accepted', record })) return undefined;
  if ((await acceptedAs(ledger, take, n)) === taskId || isOwnTaskId(take.takeKey, taskId)) return undefined;
  log.error(
    `another task was adopted for sending ${n} of take ${take.take} of ${take.shotId}; task ${taskId} came late`,
  );
  await ledger.endSending(take, n, { kind: 'also-accepted', record });
  return undefined;
}

/** The task of an accepted sending, from the gateway's answer or a person's decision. */
async function acceptedAs(ledger: Ledger, take: TakeRef, n: number): Promise<string | undefined> {
  return (await ledger.take(take))?.sendings.find((one) => one.n === n)?.accepted?.taskId;
}

/**
 * Reads a take from the ledger. First completes records that an interrupted process left incomplete: those of the
 * gateway's answers, and those of a take that was being rebuilt from its workflow.
 *
 * Decisions about money must read a take with this function.
 *
 * @returns undefined if the ledger lacks the take.
 * @throws LedgerUnavailable (retried), TakeMismatch (final).
 */
export async function bookedTake({ ledger }: Store, take: TakeRef): Promise<TakeHistory | undefined> {
  return whileLedgerServes(async () => {
    const history = await ledger.take(take);
    if (history !== undefined && (await completeRebuilt(ledger, take, history))) return ledger.take(take);
    const unbooked = history?.sendings.filter(isUnbooked) ?? [];
    if (history === undefined || unbooked.length === 0) return history;
    const { account } = history.intent;
    for (const { n, answered } of unbooked) await bookAnswer(ledger, { take, account, n, answered });
    return ledger.take(take);
  });
}

function isUnbooked(sending: Sending): sending is Sending & { readonly answered: Answered } {
  return sending.answered !== undefined && sending.accepted === undefined && sending.alsoAccepted === undefined;
}

/** The error for an answer with another take's task. It is then unknown whether this request has made a task. */
function taskOfAnother(taskId: string, { productionId, shotId, take }: TakeAddress): GatewayError {
  return new GatewayError({
    kind: 'protocol',
    method: 'POST',
    path: '/workflows/…',
    what: `answered with task ${taskId}, which is that of take ${take} of "${shotId}" in "${productionId}"`,
    acceptance: 'unclear',
  });
}
