import { planFork } from '../../../client/fork/plan-fork';
import { askKey, type LinkOrigin, takeKey, type TakeHistory } from '../../../store';
import { type FrozenShot } from '../../../contracts/render/frozen';
import { intent, sent, settled } from '../../support/ledger-fixtures';
import { betaShot, film, linkedShot } from '../../support/rig';

const account = 'sandbox';
const production = film('film', [betaShot('a'), linkedShot('a2', 'a'), betaShot('b'), linkedShot('c', 'b')]);
const [a, a2, b, c] = production.shots as [FrozenShot, FrozenShot, FrozenShot, FrozenShot];

function askOf(productionId: string, shot: FrozenShot, links: readonly LinkOrigin[] = [], sibling = 0): string {
  return askKey({ account, productionId, shot, links, sibling });
}

function take(number: number, ask: string, state: 'completed' | 'failed' = 'completed'): TakeHistory {
  const accepted = { taskId: `task-${number}`, at: '2026-01-01T00:00:00.000Z' };
  return {
    take: number,
    intent: intent({ askKey: ask, takeKey: takeKey(ask, 0) }),
    sendings: [{ n: 1, sent: sent(), accepted }],
    decisions: [],
    settled: settled(state, `task-${number}`),
  };
}

const lastOf = (shot: string, ask: string): LinkOrigin => ({ shot, frame: 'last', takeKey: takeKey(ask, 0) });

describe('the plan of a fork', () => {
  const takes = new Map([
    ['a', [take(1, askOf('film', a, [], 1)), take(2, askOf('film', a)), take(3, 'c'.repeat(64))]],
    ['a2', [take(1, askOf('film', a2, [lastOf('a', askOf('film', a))]))]],
    ['b', [take(1, askOf('film', b), 'failed')]],
    ['c', [take(1, askOf('film', c, [lastOf('b', askOf('film', b))]))]],
  ]);
  const storedTakeKeys = new Set([...takes.values()].flat().map(({ intent: { takeKey: key } }) => key));
  const plan = planFork(
    { account, production, takes, storedTakeKeys, choices: new Map(), sideBySide: new Map([['a', 2]]) },
    'new',
    production.shots,
  );

  it('names exactly the takes that a render of the new production finds, including those side by side', () => {
    const [first, second] = plan.reused;
    expect(first?.aliases.map(({ take: number, askKey: ask, source }) => [number, ask, source.take])).toEqual([
      [1, askOf('new', a, [], 1), 1],
      [2, askOf('new', a), 2],
    ]);
    expect(first?.currentAlias.take).toBe(2);
    // Requests of shots that start on it contain the key of the alias.
    expect(second?.currentAlias.askKey).toBe(askOf('new', a2, [lastOf('a', askOf('new', a))]));
  });

  it('uses a chosen take of another request as the first take, and says that it is chosen', () => {
    const chosen = takes.get('a')![2]!;
    const choice = { takeKey: chosen.intent.takeKey, take: 3, by: 'person', approved: true } as const;
    const choices = new Map([[askOf('film', a), choice]]);
    const chosenPlan = planFork(
      { account, production, takes, storedTakeKeys, choices, sideBySide: new Map([['a', 2]]) },
      'new',
      [a],
    );
    const [forked] = chosenPlan.reused;
    expect(forked?.aliases.map(({ askKey: ask, source }) => [ask, source.take])).toEqual([
      [askOf('new', a, [], 1), 1],
      [askOf('new', a), 3],
    ]);
    expect(forked?.choice).toEqual({ ...choice, take: 2, takeKey: takeKey(askOf('new', a), 0) });
    expect(forked?.context).toBe(askOf('new', a));
  });

  it('leaves out shots without a completed take, and what starts on them', () => {
    expect(plan.left).toEqual([
      { shot: 'b', because: 'it has no take in the store' },
      { shot: 'c', because: 'it uses the output of "b", which is not reused' },
    ]);
  });
});
