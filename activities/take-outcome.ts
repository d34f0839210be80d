import { type SubmitOutcome } from '../contracts/activities';
import { type TakeRef } from '../contracts/take';
import { chargeOf, isWhole, lostInWords, type Store, type TakeHistory, type TakeStanding } from '../store';

/** Takes that nobody is about to send. */
type Ended = Exclude<TakeStanding, { is: 'sendable' | 'sending' }>;

/** What the ledger says that a take has come to, in the words of a submit. */
export async function takeOutcome(
  store: Store,
  take: TakeRef,
  now: Ended,
  history: TakeHistory,
): Promise<SubmitOutcome> {
  const { output } = history;
  switch (now.is) {
    case 'accepted':
      return { state: 'accepted', take, taskId: now.taskId, acceptedAt: now.at };
    case 'unclear':
      return { state: 'unclear', take, reason: now.reason, since: now.since };
    case 'refused':
      return { state: 'refused', take, kind: 'input', reason: now.reason };
    case 'used':
      if (output !== undefined && (await isWhole(store.assets, output))) {
        return { state: 'completed', take, taskId: null, credits: chargeOf(history), output };
      }
      return { state: 'uncollected', take, reason: lostInWords(history) };
    case 'settled': {
      const { taskId, credits, state, reason, at } = now.settled;
      if (state === 'failed') return { state, take, taskId, credits, reason: reason ?? 'the gateway gave no reason' };
      if (output !== undefined && (await isWhole(store.assets, output)))
        return { state, take, taskId, credits, output };
      return { state: 'accepted', take, taskId, acceptedAt: at };
    }
  }
}
