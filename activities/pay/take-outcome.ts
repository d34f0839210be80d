import { type SubmitEnd, type SubmitOutcome, type TakeOutput } from '../../contracts/activities';
import { type TakeRef } from '../../contracts/render/take';
import {
  chargeOf,
  isOutputStored,
  lastDecisionNumber,
  lostInWords,
  outputOf,
  type Store,
  type TakeHistory,
  type LedgerState,
} from '../../store';

/** The states of takes for which no sending is due or under way. */
type Ended = Exclude<LedgerState, { is: 'sendable' | 'sending' }>;

/** A take's state in the ledger, as the outcome of a submit. */
export async function takeOutcome(
  store: Store,
  take: TakeRef,
  now: Ended,
  history: TakeHistory,
): Promise<SubmitOutcome> {
  return { ...(await endOf(store, take, now, history)), decisions: lastDecisionNumber(history) };
}

async function endOf(store: Store, take: TakeRef, now: Ended, history: TakeHistory): Promise<SubmitEnd> {
  switch (now.is) {
    case 'accepted':
      return { state: 'accepted', take, taskId: now.taskId, acceptedAt: now.at };
    case 'unclear':
      return { state: 'unclear', take, reason: now.reason, since: now.since };
    case 'refused':
      return { state: 'refused', take, kind: 'input', reason: now.reason };
    case 'used': {
      const output = await wholeOutput(store, history, null);
      if (output !== undefined) return { state: 'completed', take, taskId: null, credits: chargeOf(history), output };
      return { state: 'uncollected', take, reason: lostInWords(history) };
    }
    case 'settled': {
      const { taskId, credits, state, reason, at } = now.settled;
      if (state === 'failed') return { state, take, taskId, credits, reason: reason ?? 'the gateway gave no reason' };
      const output = await wholeOutput(store, history, taskId);
      if (output !== undefined) return { state, take, taskId, credits, output };
      return { state: 'accepted', take, taskId, acceptedAt: at };
    }
  }
}

/** The take's output, if all of its files are in the store. */
async function wholeOutput(store: Store, history: TakeHistory, taskId: string | null): Promise<TakeOutput | undefined> {
  const known = outputOf(history, taskId);
  if (known === undefined || !(await isOutputStored(store.assets, known))) return undefined;
  const { asset, firstFrame, lastFrame, warnings } = known;
  return { asset, firstFrame, lastFrame, warnings };
}
