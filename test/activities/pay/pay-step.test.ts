import { type PayFacts, payStep } from '../../../activities/pay/pay-step';
import { type Sending, type TakeHistory } from '../../../store';
import { AT, intent, sent, settled } from '../../support/ledger-fixtures';

const INTENT = intent();
const PERMIT = { takeKey: INTENT.takeKey, sending: 1 };
const REFUSED: Omit<Sending, 'n'> = { sent: sent(), refused: { reason: 'throttled', again: true, at: AT } };
const FINAL: Omit<Sending, 'n'> = { sent: sent(), refused: { reason: 'bad input', again: false, at: AT } };
const ACCEPTED: Omit<Sending, 'n'> = { sent: sent(), accepted: { taskId: 'task-1', at: AT } };
const UNCLEAR: Omit<Sending, 'n'> = { sent: sent(), unclear: { reason: 'reset', at: AT } };

function history(sendings: readonly Omit<Sending, 'n'>[], changes: Partial<TakeHistory> = {}): TakeHistory {
  return {
    take: 1,
    intent: INTENT,
    sendings: sendings.map((one, index) => ({ ...one, n: index + 1 })),
    decisions: [],
    ...changes,
  };
}
function decision(kind: 'skip' | 'resubmit'): Pick<TakeHistory, 'decisions'> {
  return { decisions: [{ kind, by: 'person', parkedFor: 'unclear', afterSending: 1, at: AT } as never] };
}

describe('the next step of an attempt to pay for a take', () => {
  it.each<[string, TakeHistory, Partial<PayFacts>, object]>([
    ['sends what was never sent', history([]), {}, { do: 'send', n: 1 }],
    ['sends again what was surely not accepted', history([REFUSED]), {}, { do: 'send', n: 2 }],
    ['sends again what a person had sent again', history([UNCLEAR], decision('resubmit')), {}, { do: 'send', n: 2 }],
    [
      'waits for the folder if it tried this sending',
      history([]),
      { triedSending: 1 },
      { do: 'wait-for-folder', n: 1 },
    ],
    [
      'waits for it before it looks at the permit',
      history([]),
      { triedSending: 1, permit: null },
      { do: 'wait-for-folder' },
    ],
    ['sends the next one after the one that it tried', history([REFUSED]), { triedSending: 1 }, { do: 'send', n: 2 }],
    ['asks the budget for a permit', history([]), { permit: null }, { do: 'ask-budget', n: 1 }],
    ['sends by its permit', history([]), { permit: PERMIT }, { do: 'send', n: 1 }],
    ['sends by it again after sure refusals', history([REFUSED, REFUSED]), { permit: PERMIT }, { do: 'send', n: 3 }],
    [
      'asks for another permit if one sending since may be charged',
      history([UNCLEAR], decision('resubmit')),
      { permit: PERMIT },
      { do: 'ask-budget', n: 2 },
    ],
    [
      'sends by the permit for the sending after it',
      history([UNCLEAR], decision('resubmit')),
      { permit: { ...PERMIT, sending: 2 } },
      { do: 'send', n: 2 },
    ],
    [
      'does not use the permit of another take',
      history([]),
      { permit: { takeKey: 'other', sending: 1 } },
      { do: 'ask-budget' },
    ],
    [
      'waits for another attempt',
      history([{ sent: sent() }]),
      {},
      { do: 'wait-for-other', now: { is: 'sending', n: 1 } },
    ],
    [
      'waits for a sending whose record is cut short',
      history([{ sent: null }]),
      {},
      { do: 'wait-for-other', now: { untilMs: 0 } },
    ],
    ['reports a task, permit or not', history([ACCEPTED]), { permit: null }, { do: 'report', now: { is: 'accepted' } }],
    ['reports what is unclear', history([UNCLEAR]), {}, { do: 'report', now: { is: 'unclear', n: 1 } }],
    ['reports a final refusal', history([FINAL]), {}, { do: 'report', now: { is: 'refused' } }],
    [
      'reports an end',
      history([ACCEPTED], { settled: settled('completed') }),
      {},
      { do: 'report', now: { is: 'settled' } },
    ],
    [
      'leaves out what a person left out, though it could be sent',
      history([REFUSED], decision('skip')),
      {},
      { do: 'skip' },
    ],
  ])('%s', (_, given, facts, step) => {
    expect(payStep(given, { permit: undefined, triedSending: 0, ...facts })).toMatchObject(step);
  });
});
