import { wouldPay } from '../../scripts/first-contact/first-task';
import { type LedgerDecision, type TakeHistory } from '../../store';
import { AT, intent, sent, settled } from '../support/ledger-fixtures';

const TAKE: TakeHistory = { take: 1, intent: intent(), sendings: [], decisions: [] };
const ACCEPTED: TakeHistory = {
  ...TAKE,
  sendings: [{ n: 1, sent: sent(), accepted: { taskId: 'task-1', at: AT } }],
};
const resubmit: LedgerDecision = { kind: 'resubmit', by: 'person', afterSending: 1, parkedFor: 'overdue', at: AT };

describe('the task of first contact', () => {
  it.each<[string, TakeHistory | undefined, boolean]>([
    ['was never sent', undefined, true],
    ['was claimed and not sent', TAKE, true],
    ['was accepted', ACCEPTED, false],
    ['has completed', { ...ACCEPTED, settled: settled('completed') }, false],
    ['has failed', { ...ACCEPTED, settled: settled('failed') }, true],
    ['is overdue, and a person has decided to send it again', { ...ACCEPTED, decisions: [resubmit] }, true],
  ])('says whether a run pays if it %s', (_what, take, pays) => {
    expect(wouldPay(take)).toBe(pays);
  });
});
