import { type Lease } from '../../../contracts/gateway/arbiter';
import { type Reservation } from '../../../contracts/money/budget';
import { type ParkedFor } from '../../../contracts/render/decision';
import { type TakeProgress } from '../../../contracts/render/take';
import { type ParkedRun, type TaskRun } from '../../../workflows/take/collect-task';
import { isWaitOver, nextStep } from '../../../workflows/take/next-step';
import { firstState, type HeldPermit, NO_PERMIT, type TakeState } from '../../../workflows/take/take-state';

const TAKE: TakeProgress = {
  ...{ take: 1, takeKey: 'key', state: 'submitting', taskId: null, credits: null },
  ...{ asset: null, firstFrame: null, lastFrame: null, warnings: [] },
};
const REF = { productionId: 'film', shotId: 'dawn', take: 1, takeKey: 'key', model: { id: 'm' } };
const RESERVATION: Reservation = { takeKey: 'key', sending: 1, shotId: 'dawn', kind: 'k', units: 4, quoted: 10 };
const PERMIT = { takeKey: 'key', sending: 1 };
const LEASE: Lease = { takeKey: 'key', sending: 1, epoch: 1, runId: 'run', useBy: '2026-01-01T00:02:00.000Z' };
const WANTED = { takeKey: 'key', sending: 1, arbiter: 'arbiter' };
const OUTPUT = { asset: { sha256: 'a'.repeat(64) }, firstFrame: null, lastFrame: null, warnings: [] };

const WAITING: HeldPermit = { is: 'waiting', reservation: RESERVATION };
const ALLOWED: HeldPermit = { is: 'allowed', reservation: RESERVATION };
const PASSED_ON: HeldPermit = { is: 'passed-on', reservation: RESERVATION };
const GRANTED: TakeState['lease'] = { lease: LEASE, arbiter: 'arbiter', asked: 3 };

const COMPLETED = { state: 'completed', take: TAKE, output: OUTPUT } as unknown as TaskRun;
const SKIPPED: TaskRun = { state: 'skipped', reason: 'a person left it out' };
const CANCELLED: TaskRun = { state: 'cancelled' };
const UNPAID: TaskRun = { state: 'failed', take: TAKE, reason: 'bad input', isUnpaid: true };
const UNKNOWN: TaskRun = { state: 'failed', take: null, reason: 'no worker', isUnpaid: false };
const UNRESERVED: TaskRun = { state: 'unreserved', reservation: RESERVATION, take: TAKE, ref: REF, decisions: 0 };
const UNLEASED: TaskRun = { state: 'unleased', wanted: WANTED, isAsked: true };
const DELAYED: TaskRun = { state: 'unleased', wanted: WANTED, isAsked: false };

function parked(parkedFor: ParkedFor, reason = 'no luck', taskId: string | null = null): ParkedRun {
  return { state: 'parked', parked: { for: parkedFor, reason, take: { ...TAKE, taskId } }, ref: REF, decisions: 0 };
}

function state(changes: Partial<TakeState>): TakeState {
  const rules = { task: { attempt: 1 }, retryFailed: 1, onUnclear: 'park', onFailure: 'park' };
  return { ...firstState(rules as unknown as Parameters<typeof firstState>[0]), ...changes };
}
const returned = (ran: TaskRun, changes: Partial<TakeState> = {}): TakeState =>
  state({ ran, stage: 'returned', ...changes });
const leaseAsked = (ran: TaskRun, changes: Partial<TakeState> = {}): TakeState =>
  state({ ran, stage: 'lease-asked', ...changes });
const leaseClosed = (ran: TaskRun, changes: Partial<TakeState> = {}): TakeState =>
  state({ ran, stage: 'lease-closed', ...changes });
const budgetAsked = (ran: TaskRun, changes: Partial<TakeState> = {}): TakeState =>
  state({ ran, stage: 'budget-asked', ...changes });
const closed = (ran: TaskRun, changes: Partial<TakeState> = {}): TakeState =>
  state({ ran, stage: 'closed', ...changes });
const decided = (ran: TaskRun, decision: TakeState['decision'], changes: Partial<TakeState> = {}): TakeState =>
  state({ ran, stage: 'decided', decision, ...changes });

const RESUBMIT: Partial<TakeState> = { rules: { onUnclear: 'resubmit', onFailure: 'park' } };
const SKIP: Partial<TakeState> = { rules: { onUnclear: 'park', onFailure: 'skip' } };
const failedEnd = { do: 'end', outcome: { state: 'failed', reason: 'no luck' } };

describe('the next step of a take', () => {
  describe('to send', () => {
    it.each<[string, TakeState, object]>([
      ['is without permit and lease at first', state({}), { permit: null, lease: null }],
      ['is without the permit that it waits for', state({ permit: WAITING }), { permit: null }],
      ['is with the permit that the budget has allowed', state({ permit: ALLOWED }), { permit: PERMIT }],
      ['is with the permit again that was passed on', state({ permit: PASSED_ON }), { permit: PERMIT }],
      ['is with the lease that was granted', state({ lease: GRANTED }), { lease: LEASE }],
      ['follows the answer of the arbiter', leaseAsked(UNLEASED, { lease: GRANTED }), { lease: LEASE }],
    ])('%s', (_, given, step) => {
      expect(nextStep(given)).toMatchObject({ do: 'send', ...step });
    });
  });

  describe('for a lease', () => {
    it.each<[string, TakeState, object]>([
      ['asks for the first one', returned(UNLEASED), { do: 'wait-for-lease', wanted: WANTED, refused: null, asked: 1 }],
      [
        'asks again, and counts it, if none came',
        returned(UNLEASED, { lease: { lease: null, arbiter: 'arbiter', asked: 2 } }),
        { do: 'wait-for-lease', refused: null, asked: 3 },
      ],
      [
        'asks for another one, and counts anew, if the lease was not accepted',
        returned(UNLEASED, { lease: GRANTED }),
        { do: 'wait-for-lease', refused: LEASE, asked: 1 },
      ],
      ['gives it back if something else delays it', returned(DELAYED, { lease: GRANTED }), { do: 'give-lease-back' }],
      ['gives it back if it was cancelled', returned(CANCELLED), { do: 'close-lease', isUnused: true }],
      ['gives it back if a person left the take out', returned(SKIPPED), { do: 'close-lease', isUnused: true }],
      ['gives it back if the budget is asked first', returned(UNRESERVED), { do: 'close-lease', isUnused: true }],
      ['gives it back if nobody knows of a take', returned(UNKNOWN), { do: 'close-lease', isUnused: true }],
      [
        'leaves it if the task was refused: the activity has told',
        returned(UNPAID),
        { do: 'close-lease', isUnused: false },
      ],
      ['leaves it if the sending is unclear', returned(parked('unclear')), { do: 'close-lease', isUnused: false }],
      ['leaves it if the task has ended', returned(COMPLETED), { do: 'close-lease', isUnused: false }],
      [
        'leaves one that it withdrew when it was cancelled',
        leaseAsked(CANCELLED, { lease: GRANTED }),
        { do: 'close-lease', isUnused: false },
      ],
      [
        'leaves one that it withdrew for another version',
        leaseAsked(UNLEASED, { isPreempted: true }),
        { do: 'close-lease', isUnused: false },
      ],
      [
        'asks first, though another version is wanted',
        returned(UNLEASED, { isPreempted: true }),
        { do: 'wait-for-lease' },
      ],
    ])('%s', (_, given, step) => {
      expect(nextStep(given)).toMatchObject(step);
    });
  });

  describe('for a permit', () => {
    const other: HeldPermit = { is: 'waiting', reservation: { ...RESERVATION, sending: 2 } };
    it.each<[string, TakeState, object]>([
      ['asks the budget', leaseClosed(UNRESERVED), { do: 'ask-budget', ran: UNRESERVED }],
      ['keeps the place of a repeated request', leaseClosed(UNRESERVED, { permit: WAITING }), { replaced: 'kept' }],
      ['keeps it too if it was just allowed', leaseClosed(UNRESERVED, { permit: ALLOWED }), { replaced: 'kept' }],
      ['withdraws the request for another sending', leaseClosed(UNRESERVED, { permit: other }), { replaced: 'unused' }],
      [
        'counts a permit as used that did not suffice',
        leaseClosed(UNRESERVED, { permit: PASSED_ON }),
        { replaced: 'used' },
      ],
    ])('%s', (_, given, step) => {
      expect(nextStep(given)).toMatchObject({ do: 'ask-budget', ...step });
    });

    it.each<[string, TakeState, object]>([
      ['is used by a completed task', leaseClosed(COMPLETED, { permit: PASSED_ON }), { permit: 'used', isSent: true }],
      [
        'is used by an unclear task',
        leaseClosed(parked('unclear'), { permit: PASSED_ON }),
        { permit: 'used', isSent: true },
      ],
      [
        'is used by a failed task',
        leaseClosed(parked('failed'), { permit: PASSED_ON }),
        { permit: 'used', isSent: true },
      ],
      [
        'is used if nobody knows of a take',
        leaseClosed(UNKNOWN, { permit: PASSED_ON }),
        { permit: 'used', isSent: true },
      ],
      [
        'is used if cancelled while sending',
        leaseClosed(CANCELLED, { permit: PASSED_ON }),
        { permit: 'used', isSent: false },
      ],
      [
        'is returned if surely not accepted',
        leaseClosed(UNPAID, { permit: PASSED_ON }),
        { permit: 'unused', isSent: true },
      ],
      ['is returned if not passed on', leaseClosed(COMPLETED, { permit: ALLOWED }), { permit: 'unused', isSent: true }],
      [
        'is kept if credits are missing',
        leaseClosed(parked('credits'), { permit: PASSED_ON }),
        { permit: 'kept', isSent: true },
      ],
      [
        'is kept, and nothing was sent, if it waits for it',
        budgetAsked(parked('budget'), { permit: WAITING }),
        { permit: 'kept', isSent: false },
      ],
      [
        'is kept if cancelled while it asked',
        budgetAsked(CANCELLED, { permit: WAITING }),
        { permit: 'kept', isSent: false },
      ],
      [
        'is used if another version is wanted while a sending with it was delayed',
        leaseClosed(CANCELLED, { permit: PASSED_ON, isPreempted: true }),
        { permit: 'used', isSent: false },
      ],
    ])('%s', (_, given, step) => {
      expect(nextStep(given)).toMatchObject({ do: 'close-permit', ...step });
    });
  });

  describe('of a task that ended', () => {
    it.each<[string, TakeState, object]>([
      ['completed', closed(COMPLETED), { do: 'end', outcome: { state: 'completed', take: TAKE, output: OUTPUT } }],
      [
        'refused for good',
        closed(UNPAID),
        { do: 'end', outcome: { state: 'failed', reason: 'bad input', take: TAKE } },
      ],
      ['left out', closed(SKIPPED), { do: 'end', outcome: { state: 'skipped', reason: 'a person left it out' } }],
      [
        'cancelled while it asked the budget: the request stays, since the production settles it',
        closed(CANCELLED, { permit: WAITING }),
        { do: 'end', outcome: { state: 'cancelled', take: null }, permit: 'kept' },
      ],
      ['failed: another take follows', closed(parked('failed')), { do: 'try-next', failed: TAKE }],
      ['failed: no further take is allowed', closed(parked('failed'), { furtherTakes: 0 }), { do: 'park' }],
      ['failed for its content: no other take', closed(parked('failed', 'content policy')), { do: 'park' }],
      ['failed, and the shot continues without it', closed(parked('failed'), { isSpare: true }), failedEnd],
      ['failed, and the file passes it over', closed(parked('failed'), { ...SKIP, furtherTakes: 0 }), failedEnd],
      ['unclear', closed(parked('unclear')), { do: 'park', limit: '2 minutes' }],
      ['unclear, parked once', closed(parked('unclear'), { unclearParks: 1 }), { do: 'park', limit: '60 minutes' }],
      ['unclear, parked twice', closed(parked('unclear'), { unclearParks: 2 }), { do: 'park', limit: undefined }],
      ['unclear, and the file never passes it over', closed(parked('unclear'), SKIP), { do: 'park' }],
      ['unclear, and the file sends it again', closed(parked('unclear'), RESUBMIT), { do: 'resubmit' }],
      [
        'unclear, and the ledger refused to send it again',
        state({ ran: parked('unclear'), stage: 'not-resubmitted', ...RESUBMIT }),
        { do: 'park', limit: '2 minutes' },
      ],
      [
        'unclear and refused, which waits even if spare: people are told of it',
        state({ ran: parked('unclear'), stage: 'not-resubmitted', ...RESUBMIT, isSpare: true }),
        { do: 'park' },
      ],
      ['overdue, which the rule for unclear takes leaves alone', closed(parked('overdue'), RESUBMIT), { do: 'park' }],
      [
        'overdue and passed over: its task is left',
        closed(parked('overdue', 'no luck', 'task-1'), SKIP),
        { do: 'end', outcome: { state: 'failed', isLeft: true } },
      ],
      ['without credits', closed(parked('credits')), { do: 'park', limit: undefined }],
      ['without credits, which is never passed over', closed(parked('credits'), SKIP), { do: 'park' }],
      ['beyond the budget', closed(parked('budget'), { permit: WAITING, ...SKIP }), { do: 'park' }],
      [
        'beyond the budget, and the shot continues without it: its request is withdrawn',
        closed(parked('budget'), { permit: WAITING, isSpare: true }),
        { ...failedEnd, permit: 'unused' },
      ],
    ])('%s', (_, given, step) => {
      expect(nextStep(given)).toMatchObject(step);
    });
  });

  describe('after a wait', () => {
    const noCredits = parked('credits');
    const noBudget = parked('budget');
    it.each<[string, TakeState, object]>([
      ['goes on by a decision', decided(parked('unclear'), 'resubmit'), { do: 'resume', parked: TAKE, permit: null }],
      ['goes on by what the ledger has', decided(parked('unclear'), 'unknown'), { do: 'resume' }],
      ['asks the ledger if nobody decided', decided(parked('unclear'), 'none'), { do: 'send', permit: null }],
      [
        'ends by the decision to skip',
        decided(noBudget, 'skip', { permit: WAITING }),
        { do: 'end', outcome: { state: 'skipped' }, permit: 'unused' },
      ],
      [
        'skips a take without credits: its permit counts as used',
        decided(noCredits, 'skip', { permit: PASSED_ON }),
        { do: 'end', permit: 'used' },
      ],
      [
        'ends if cancelled, and returns no permit',
        decided(noBudget, 'cancelled', { permit: WAITING }),
        { do: 'end', outcome: { state: 'cancelled', reason: 'was parked: no luck', take: TAKE }, permit: 'kept' },
      ],
      [
        'sends with the permit that came',
        decided(noBudget, 'none', { permit: ALLOWED }),
        { do: 'resume', permit: PERMIT },
      ],
      [
        'sends by the same permit when it is renewed',
        decided(noCredits, 'none', { permit: PASSED_ON, isRenewed: true }),
        { do: 'resume', permit: PERMIT },
      ],
      ['ends if spare', decided(noCredits, 'none', { isSpare: true }), failedEnd],
      [
        'ends if preempted, though just allowed',
        decided(noBudget, 'none', { permit: ALLOWED, isPreempted: true }),
        { ...failedEnd, permit: 'unused' },
      ],
      [
        'follows a decision that came before it was spare',
        decided(noCredits, 'resubmit', { isSpare: true }),
        { do: 'resume' },
      ],
    ])('%s', (_, given, step) => {
      expect(nextStep(given)).toMatchObject(step);
    });

    it.each<[string, Partial<TakeState>, boolean]>([
      ['lasts while nothing has changed', {}, false],
      ['lasts while the budget has not allowed it', { permit: WAITING }, false],
      ['lasts though an earlier permit was passed on', { permit: PASSED_ON }, false],
      ['is over when the budget has allowed it', { permit: ALLOWED }, true],
      ['is over when the shot continues without it', { isSpare: true }, true],
      ['is over when it is renewed', { isRenewed: true }, true],
    ])('which %s', (_, changes, isOver) => {
      expect(isWaitOver(state({ permit: NO_PERMIT, ...changes }))).toBe(isOver);
    });
  });
});
