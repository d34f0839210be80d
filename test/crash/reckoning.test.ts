import { type MissedShot, reckon, type ReckonedTake, type ReckoningInput } from '../../drill/reckoning';
import { type SandboxTask } from '../../sandbox';
import { type LedgerDecision, type TakeHistory } from '../../store';
import { AT, intent, sent, settled } from '../support/ledger-fixtures';

const KEY = 'a'.repeat(64);

describe('the reckoning of a drill', () => {
  it('finds nothing if the three sides agree', () => {
    expect(reckon(sides({}))).toEqual({
      takes: 1,
      accepted: 1,
      charged: 20,
      unclear: 0,
      held: 0,
      resent: 0,
      decided: {},
      missed: [],
      left: [],
      lost: 0,
      doubled: 0,
      stuck: 0,
      broken: [],
    });
  });

  it('finds a second charge that nobody decided on', () => {
    const found = reckon(sides({ tasks: [task('task-1'), task('task-2')] }));
    expect(found).toMatchObject({ doubled: 1, lost: 1 });
    expect(found.broken).toContain('1. take 1 of dawn in film was accepted 2 times, with 0 decisions to send again');
  });

  it('allows a second charge after a decision to resend an unclear take, and counts it', () => {
    const sendings = [
      { n: 1, sent: sent(), unclear: { reason: 'no answer', at: AT } },
      { n: 2, sent: sent(), accepted: { taskId: 'task-2', at: AT } },
    ];
    const decisions = [{ kind: 'resubmit' as const, by: 'policy' as const, afterSending: 1, at: AT }];
    const history = { sendings, decisions, settled: settled('completed', 'task-2') };
    const found = reckon(sides({ tasks: [task('task-1'), task('task-2')], history, ids: ['task-2'] }));
    expect(found).toMatchObject({ doubled: 1, lost: 0, unclear: 1, resent: 1, decided: { resubmit: 1 }, broken: [] });
  });

  it('finds a task that the ledger does not know, of a take and of none', () => {
    const unnoted = { sendings: [{ n: 1, sent: sent(), refused: { again: false, reason: 'no', at: AT } }] };
    expect(reckon(sides({ history: { ...unnoted, settled: undefined } }))).toMatchObject({ lost: 1 });
    expect(reckon(sides({ tasks: [task('task-1'), task('task-9', 'other')] }))).toMatchObject({ lost: 1 });
  });

  it.each([
    ['adopted', { accepted: { taskId: 'task-1', at: AT } }],
    ['surely refused', { refused: { again: true, reason: 'this worker stood still', at: AT } }],
  ])('does not let a task hide behind a submit that was unclear and is %s since', (_how, end) => {
    const sendings = [{ n: 1, sent: sent(), unclear: { reason: 'no answer', at: AT }, ...end }];
    const tasks = [task('task-1'), task('task-2')].slice('accepted' in end ? 0 : 1);
    const found = reckon(sides({ tasks, history: { sendings, settled: undefined } }));
    expect(found).toMatchObject({ lost: 1 });
    expect(found.broken.join()).toContain('1 accepted tasks are not in the ledger');
  });

  it('does not count an alias as an acceptance: the task stays with the take that was paid for', () => {
    const [own] = sides({}).takes;
    const alias = { productionId: 'film', shotId: 'dawn', take: 1, takeKey: KEY };
    const history = { take: 1, intent: intent({ takeKey: 'c'.repeat(64), alias }), sendings: [], decisions: [] };
    const takes = [own!, { production: 'fork', shot: 'dawn', history, isStored: true }];
    expect(reckon({ ...sides({}), takes })).toMatchObject({
      accepted: 1,
      charged: 20,
      lost: 0,
      doubled: 0,
      broken: [],
    });
  });

  it('allows a finally refused shot to be missing at a first end, and the shots that start on it', () => {
    const refused = { again: false, reason: 'POST /submit answered 422', at: AT };
    const history = { sendings: [{ n: 1, sent: sent(), refused }], settled: undefined };
    const missed = [missing('dawn', 'failed', refused.reason), missing('day', 'blocked', 'waits for dawn')];
    const injected = sides({ tasks: [], history, missed, refusalsInjected: 1 });
    expect(reckon(injected)).toMatchObject({
      missed: [`dawn in film was failed: ${refused.reason}`, 'day in film was blocked: waits for dawn'],
      broken: [],
    });
    expect(reckon({ ...injected, refusalsInjected: 0 }).broken).toEqual([
      '3. 1 sendings were refused for good, and 0 refusals were injected',
    ]);
  });

  it.each(['failed', 'blocked', 'cancelled', 'parked'])('finds a shot that no fault explains: %s', (state) => {
    const found = reckon(sides({ missed: [missing('dawn', state, 'no luck')], refusalsInjected: 9 }));
    expect(found.broken).toEqual([`3. no fault explains that dawn in film was ${state}: no luck`]);
  });

  it('finds a paid clip that is not in the store', () => {
    const found = reckon(sides({ isStored: false }));
    expect(found).toMatchObject({ lost: 1 });
    expect(found.broken).toHaveLength(1);
  });

  it.each<LedgerDecision['kind'] | 'nothing'>(['nothing', 'wait', 'adopt'])(
    'finds a task that was accepted and never collected although %s was decided',
    (kind) => {
      const decisions = kind === 'nothing' ? [] : [decision(kind)];
      const found = reckon(sides({ history: { settled: undefined, decisions }, isStored: false }));
      expect(found).toMatchObject({ lost: 1, left: [] });
      expect(found.broken).toEqual(['2. take 1 of dawn in film is paid for, and its clip is not in the store']);
    },
  );

  it.each([decision('skip'), decision('use'), decision('resubmit', 'overdue')])(
    'names a paid task that a person gave up: $kind',
    (decided) => {
      const found = reckon(sides({ history: { settled: undefined, decisions: [decided] }, isStored: false }));
      expect(found).toMatchObject({ lost: 0, left: ['take 1 of dawn in film: task task-1'], broken: [] });
    },
  );

  it('does not treat a late answer as given up because the take was to be resent', () => {
    const sendings = [
      { n: 1, sent: sent(), unclear: { reason: 'no answer', at: AT }, accepted: { taskId: 'task-1', at: AT } },
    ];
    const history = { sendings, settled: undefined, decisions: [decision('resubmit', 'unclear')] };
    expect(reckon(sides({ history, isStored: false }))).toMatchObject({ lost: 1, left: [] });
  });

  it('finds a sending without an end', () => {
    const found = reckon(sides({ tasks: [], history: { sendings: [{ n: 1, sent: sent() }], settled: undefined } }));
    expect(found.broken).toEqual(['3. take 1 of dawn in film was sent, and no outcome is recorded']);
  });

  it('finds a task that only a history knows', () => {
    expect(reckon(sides({ ids: ['task-1', 'task-7'] })).broken).toEqual([
      '2. a history has task task-7, and the ledger does not',
    ]);
  });

  it('finds a ledger with more acceptances than the gateway', () => {
    expect(reckon(sides({ tasks: [] })).broken).toEqual([
      '4. sendings in the ledger: 1 accepted, 0 unclear; tasks at the gateway: 0',
    ]);
  });

  it('finds a worker that served a copy of the store', () => {
    expect(reckon(sides({ copiesServed: 1 })).broken).toEqual(['1. 1 workers served a copy of the store']);
  });

  it('names a paid task that never ends, and does not count it as lost', () => {
    const tasks = [{ ...task('task-1'), fate: 'never-ends' as const }];
    const found = reckon(sides({ tasks, history: { settled: undefined }, isStored: false }));
    expect(found).toMatchObject({ lost: 0, left: ['take 1 of dawn in film: task task-1'], broken: [] });
  });

  describe('after the ledger was lost and restored', () => {
    const resent = [
      { n: 1, sent: sent(), unclear: { reason: 'no answer', at: AT } },
      { n: 2, sent: sent(), accepted: { taskId: 'task-2', at: AT } },
    ];
    const decisions = [{ kind: 'resubmit' as const, by: 'policy' as const, afterSending: 1, at: AT }];
    const asItWas = (history: NonNullable<Planted['history']>): readonly ReckonedTake[] => sides({ history }).takes;

    it('counts a decision that was lost with it, and counts one in the backup only once', () => {
      const tasks = [task('task-1'), task('task-2')];
      const listed = { ...resent[0]!, unclear: { reason: 'restored', at: AT, restored: { name: 'one' } } };
      const history = { sendings: [listed, resent[1]!], settled: settled('completed', 'task-2') };
      const beforeLosses = asItWas({ sendings: resent, decisions });
      const found = reckon(sides({ tasks, history, ids: ['task-2'], beforeLosses }));
      expect(found).toMatchObject({ doubled: 1, resent: 1, held: 1, unclear: 0, broken: [] });
      const kept = { ...history, decisions };
      const third = reckon(sides({ tasks: [...tasks, task('task-3')], history: kept, ids: ['task-2'], beforeLosses }));
      expect(third.broken).toContain('1. take 1 of dawn in film was accepted 3 times, with 1 decisions to send again');
    });

    it('knows why a shot was refused, and counts the refusal once', () => {
      const refused = { again: false, reason: 'POST /submit answered 422', at: AT };
      const sendings = [{ n: 1, sent: sent(), refused }];
      const missed = [missing('dawn', 'failed', refused.reason)];
      const beforeLosses = [...asItWas({ sendings }), ...asItWas({ sendings })];
      expect(reckon(sides({ missed, beforeLosses, refusalsInjected: 1 })).broken).toEqual([]);
      expect(reckon(sides({ missed, beforeLosses: [], refusalsInjected: 1 })).broken).toHaveLength(1);
    });

    it('finds a task that the lost ledger had, but the restored one does not', () => {
      const beforeLosses = asItWas({});
      expect(reckon({ ...sides({ beforeLosses }), takes: [] })).toMatchObject({ lost: 1 });
    });
  });

  it('names a production that is stuck', () => {
    expect(reckon(sides({ stuck: ['film'] }))).toMatchObject({ stuck: 1, broken: [expect.stringContaining('film')] });
  });
});

function decision(kind: LedgerDecision['kind'], parkedFor: LedgerDecision['parkedFor'] = 'uncollected') {
  return { kind, by: 'person' as const, afterSending: 1, parkedFor, at: AT };
}

interface Planted {
  readonly tasks?: readonly SandboxTask[];
  readonly history?: { readonly [Field in keyof TakeHistory]?: TakeHistory[Field] | undefined };
  readonly isStored?: boolean;
  readonly ids?: readonly string[];
  readonly stuck?: readonly string[];
  readonly missed?: readonly MissedShot[];
  readonly refusalsInjected?: number;
  readonly beforeLosses?: readonly ReckonedTake[];
  readonly copiesServed?: number;
}

function missing(shot: string, state: string, reason: string): MissedShot {
  return { production: 'film', renderId: 'render-1', shot, state, reason };
}

/** One take, accepted, charged and stored, except for what a test changes. */
function sides(planted: Planted): ReckoningInput {
  const { tasks = [task('task-1')], history, isStored = true, ids = [] } = planted;
  const { stuck = [], missed = [], refusalsInjected = 0, beforeLosses = [], copiesServed = 0 } = planted;
  const whole = {
    take: 1,
    intent: intent({ takeKey: KEY }),
    sendings: [{ n: 1, sent: sent(), accepted: { taskId: 'task-1', at: AT } }],
    decisions: [],
    settled: settled('completed'),
  };
  const take = { production: 'film', shot: 'dawn', history: { ...whole, ...history }, isStored } as ReckonedTake;
  return {
    tasks,
    takes: [take],
    historyTaskIds: new Set(ids),
    stuck,
    missed,
    refusalsInjected,
    beforeLosses,
    copiesServed,
  };
}

function task(id: string, idempotencyKey = KEY): SandboxTask {
  return {
    id,
    model: 'beta-2.5',
    workflow: 'beta',
    mode: 'submit',
    state: 'COMPLETED',
    acceptedAt: AT,
    startedAt: AT,
    finishedAt: AT,
    credits: 20,
    idempotencyKey,
    parameters: {},
    fate: 'completes',
    answerFault: null,
    output: { file: 'video.mp4' },
    error: null,
  };
}
