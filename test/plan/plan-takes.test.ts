import { planTake } from '../../client/plan/plan-take';
import { planShots, type ShotsInput, type UnpricedShot } from '../../client/plan/plan-shots';
import { type Choice, type Review } from '../../contracts/render/directing';
import { type ShotPolicy } from '../../contracts/render/plan';
import { askKey, type TakeHistory, takeKey } from '../../store';
import { AT, intent, sent, settled } from '../support/ledger-fixtures';
import { betaShot, film, linkedShot } from '../support/rig';
import { asset, inputAfter, type Rendered, simulateRender } from './simulated-render';

const FILM = film('film', [betaShot('one'), linkedShot('two', 'one')]);
const [ONE] = FILM.shots;

describe('the plan of a shot with several takes, or with a review', () => {
  let rendered: Rendered;
  beforeAll(async () => {
    rendered = await simulateRender(FILM);
  });

  const ask = (sibling = 0): string =>
    askKey({ account: 'sandbox', productionId: 'film', shot: ONE!, links: [], sibling });

  const plan = (rules: Partial<ShotPolicy>, more: Partial<ShotsInput> = {}): readonly UnpricedShot[] => {
    const policy = { onUnclear: 'park', retryFailed: 0, onFailure: 'park', takes: 1, review: null, ...rules } as const;
    return planShots({ ...inputAfter(FILM, rendered), policies: new Map([['one', policy]]), ...more });
  };

  /** The other take side by side, with its outcome. */
  function sibling(state: 'completed' | 'failed', take = 2): TakeHistory {
    const [first] = rendered.takes.get('one')!;
    const lastFrame = { asset: asset('another last frame', 'image/png'), source: 'clip' as const };
    return {
      take,
      intent: intent({ ...first!.intent, askKey: ask(1), takeKey: takeKey(ask(1), 0) }),
      sendings: [{ n: 1, sent: sent(), accepted: { taskId: 'task-2', at: AT } }],
      decisions: [],
      settled: settled(state, 'task-2'),
      ...(state === 'completed' ? { output: { ...first!.output!, lastFrame } } : {}),
    };
  }
  function withTakes(...more: readonly TakeHistory[]): Pick<ShotsInput, 'takes' | 'storedTakeKeys'> {
    const takes = new Map(rendered.takes).set('one', [...rendered.takes.get('one')!, ...more]);
    const all = [...takes.values()].flat().filter(({ output }) => output !== undefined);
    return { takes, storedTakeKeys: new Set(all.map((take) => take.intent.takeKey)) };
  }
  const choose = (take: TakeHistory, approved = true): Pick<ShotsInput, 'choices'> => {
    const choice: Choice = { takeKey: take.intent.takeKey, take: take.take, by: 'person', approved };
    return { choices: new Map([[ask(), choice]]) };
  };

  it('pays for missing takes if there are to be more, and leaves the rest unchanged', () => {
    expect(plan({ takes: 3 })).toMatchObject([
      { action: 'reused', take: 1, newTakes: 2 },
      { action: 'reused', newTakes: 0 },
    ]);
    expect(plan({ takes: 3 }, { takes: new Map() })).toMatchObject([
      { action: 'new', newTakes: 3 },
      { action: 'new', newTakes: 1 },
    ]);
  });

  it('keeps the chosen take, and makes stale what started on another', () => {
    const other = sibling('completed');
    expect(plan({ takes: 2 }, { ...withTakes(other), ...choose(other) })).toMatchObject([
      { action: 'reused', take: 2, newTakes: 0 },
      { action: 'stale', through: ['one'], newTakes: 1 },
    ]);
    // A choice that is no longer valid is ignored.
    const failed = sibling('failed');
    expect(plan({ takes: 2 }, { ...withTakes(failed), ...choose(failed) })).toMatchObject([
      { action: 'reused', take: 1, newTakes: 1 },
      { action: 'reused' },
    ]);
  });

  it('retries a failed one only if nothing is chosen', () => {
    const failed = sibling('failed');
    const [first] = rendered.takes.get('one')!;
    expect(plan({ takes: 2 }, withTakes(failed))[0]).toMatchObject({ action: 'reused', take: 1, newTakes: 1 });
    expect(plan({ takes: 2 }, { ...withTakes(failed), ...choose(first!) })[0]).toMatchObject({ newTakes: 0 });
  });

  it('also pays for a take beside the chosen one that was refused for now, since a render sends it again', () => {
    const refused = { kind: 'credits', reason: 'no credits', again: true, at: AT } as const;
    const { take, intent: asked } = sibling('completed');
    const waiting = { take, intent: asked, sendings: [{ n: 1, sent: sent(), refused }], decisions: [] };
    const [first] = rendered.takes.get('one')!;
    const planned = plan({ takes: 2 }, { ...withTakes(waiting), ...choose(first!) })[0];
    expect(planned).toMatchObject({ action: 'reused', take: 1, newTakes: 1 });
    const skip = { kind: 'skip', by: 'person', afterSending: 1, parkedFor: 'credits', at: AT } as const;
    const skipped = withTakes({ ...waiting, decisions: [skip] });
    expect(plan({ takes: 2 }, { ...skipped, ...choose(first!) })[0]).toMatchObject({ newTakes: 0 });
  });

  it('pays for nothing if the choice is a take of another request', () => {
    const elsewhere = { ...sibling('completed'), intent: intent({ askKey: 'e'.repeat(64), takeKey: 'f'.repeat(64) }) };
    const takes = withTakes(elsewhere);
    const only = new Map(takes.takes).set('one', [elsewhere]);
    expect(plan({}, { ...takes, takes: only, ...choose(elsewhere) })[0]).toMatchObject({
      action: 'reused',
      newTakes: 0,
    });
  });

  it('holds the following shots until a review is answered', () => {
    const review: Review = { withinSeconds: null, otherwise: 'approve' };
    const [first] = rendered.takes.get('one')!;
    expect(plan({ review })).toMatchObject([{ action: 'reused', review: true }, { heldBy: ['one'] }]);
    expect(plan({ review }, choose(first!, false))).toMatchObject([{ review: true }, { heldBy: ['one'] }]);
    expect(plan({ review }, choose(first!))).toMatchObject([{ review: false }, { heldBy: [] }]);
    expect(plan({ review }, { takes: new Map() })).toMatchObject([
      { action: 'new', review: true },
      { heldBy: ['one'] },
    ]);
  });

  it('names the directed differences from the file', () => {
    const written = {
      ...FILM,
      shots: [betaShot('one', { parameters: { ...ONE!.parameters, duration: 6 } }), FILM.shots[1]!],
    };
    expect(plan({}, { written })).toMatchObject([
      { directed: [{ parameter: 'duration', from: 6, to: 4 }] },
      { directed: null },
    ]);
    const again = { ...FILM, shots: [{ ...ONE!, variant: 8 }, FILM.shots[1]!] };
    expect(planShots({ ...inputAfter(again, rendered), written: FILM })[0]).toMatchObject({
      action: 'changed',
      directed: [],
    });
  });

  it('tells a shot that the file left out from one that a person left out', () => {
    const failed: TakeHistory = {
      take: 1,
      intent: intent({ renderId: 'render-1' }),
      sendings: [{ n: 1, sent: sent(), accepted: { taskId: 'task-1', at: AT } }],
      decisions: [],
      settled: settled('failed', 'task-1'),
    };
    const skip = { n: 1, kind: 'skip', by: 'person', afterSending: 1, parkedFor: 'failed', at: AT } as const;
    const policy = { onUnclear: 'park', retryFailed: 0, onFailure: 'skip', takes: 1, review: null } as const;
    const joined = {
      ...{ renderId: 'render-1', production: asset('a production', 'application/json'), account: 'sandbox', at: AT },
      policies: { one: policy },
    };
    const render = { joined, storedTakeKeys: new Set<string>(), nowMs: Date.parse(AT) };
    expect(planTake('one', failed, policy, render)).toMatchObject({ action: 'skipped', leftOutBy: 'file' });
    expect(planTake('one', { ...failed, decisions: [skip] }, policy, render)).not.toHaveProperty('leftOutBy');
  });
});
