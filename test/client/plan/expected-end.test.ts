import { createExpectedEnd, unattendedWork } from '../../../client/plan/expected-end';
import { type PlannedShot } from '../../../contracts/render/plan';
import { type ProductionStatus, type ShotStatus } from '../../../contracts/status';
import { newStore } from '../../books/store-with-takes';
import { AT, ADDRESS, intent, sent } from '../../support/ledger-fixtures';
import { betaShot, film, linkedShot, planOf } from '../../support/rig';

const MODEL = 'beta-2.5';
const chain = film('film', [
  betaShot('dawn'),
  linkedShot('noon', 'dawn'),
  linkedShot('dusk', 'noon'),
  betaShot('night'),
]);
const reviewed = { withinSeconds: null, otherwise: 'approve' } as const;

type Changes = Partial<ShotStatus>;

function status(changes: Readonly<Record<string, Changes>> = {}): ProductionStatus {
  const shots = chain.shots.map(({ id }) => ({
    ...{ id, model: MODEL, state: 'pending', takes: [], filmTake: null, review: null, parked: null },
    ...changes[id],
  }));
  return { production: 'film', state: 'running', shots } as unknown as ProductionStatus;
}

const takes = (...states: readonly string[]): ShotStatus['takes'] =>
  states.map((state, index) => ({
    take: index + 1,
    takeKey: `key-${index + 1}`,
    state,
  })) as unknown as ShotStatus['takes'];

const inReview: Changes = {
  state: 'review',
  review: { since: AT, takesUnderWay: 0 },
  filmTake: 1,
  takes: takes('completed'),
};

describe('the shots that continue by themselves', () => {
  const plan = (changes: Readonly<Record<string, Partial<PlannedShot>>> = {}) => {
    const { shots } = planOf(chain);
    return { shots: shots.map((shot) => ({ ...shot, ...changes[shot.id] })) };
  };
  const names = (of: ProductionStatus, by = plan()): readonly string[] =>
    unattendedWork(of, by, () => null).shots.map(({ id }) => id);

  it.each<[string, ProductionStatus, ReturnType<typeof plan>, readonly string[], boolean]>([
    ['is all of a production that has begun', status(), plan(), ['dawn', 'noon', 'dusk', 'night'], false],
    [
      'is not what stands already',
      status({ dawn: { state: 'completed', filmTake: 1 } }),
      plan(),
      ['noon', 'dusk', 'night'],
      false,
    ],
    ['is not what starts on a parked shot', status({ noon: { state: 'parked' } }), plan(), ['dawn', 'night'], true],
    ['is not what starts on a shot in review', status({ dawn: inReview }), plan(), ['night'], true],
    [
      'is not what will start on a shot that is to be reviewed',
      status(),
      plan({ noon: { review: reviewed } }),
      ['dawn', 'noon', 'night'],
      true,
    ],
    [
      'is all of it where nobody attends',
      { ...status(), basis: { unattended: true } as ProductionStatus['basis'] & object },
      plan({ noon: { review: reviewed } }),
      ['dawn', 'noon', 'dusk', 'night'],
      false,
    ],
    [
      'is another take of a shot that has one, and what starts on that one',
      status({
        dawn: { state: 'review', review: { since: AT, takesUnderWay: 1 }, takes: takes('completed', 'rendering') },
      }),
      plan(),
      ['dawn', 'night'],
      true,
    ],
  ])('%s', (_, of, by, ids, waitsThen) => {
    expect(names(of, by)).toEqual(ids);
    expect(unattendedWork(of, by, () => null).waitsThen).toBe(waitsThen);
  });

  it('wait only for open shots, and have as many tasks as takes', () => {
    const of = status({ dawn: { state: 'rendering', takes: takes('rendering', 'failed') } });
    const { shots } = unattendedWork(of, plan({ dawn: { takes: 2 }, noon: { takes: 3 } }), (key) =>
      key === 'key-1' ? 5 : null,
    );
    expect(shots.slice(0, 2)).toEqual([
      { id: 'dawn', model: MODEL, after: [], tasks: [5, null] },
      { id: 'noon', model: MODEL, after: ['dawn'], tasks: [null, null, null] },
    ]);
    const stands = status({ dawn: { state: 'completed', filmTake: 1 } });
    expect(unattendedWork(stands, plan(), () => null).shots[0]).toMatchObject({ id: 'noon', after: [] });
  });
});

describe('the expected end', () => {
  it('is computed from the usual times in the store and the acceptance of running tasks', async () => {
    const store = await newStore();
    const expected = createExpectedEnd(store, 'sandbox');
    const running: ProductionStatus = {
      ...status({ dawn: { state: 'rendering', takes: takes('rendering') } }),
      basis: { plan: await store.putJson(planOf(chain)) } as unknown as ProductionStatus['basis'] & object,
    };
    expect(await expected(running)).toBeNull();

    const times = store.account('sandbox').usualTimes;
    for (const ms of [100_000, 100_000, 100_000]) await times.note(MODEL, ms);
    const written = { ...ADDRESS, takeKey: intent().takeKey };
    await store.ledger.intend(ADDRESS, intent());
    await store.ledger.beginSending(written, 1, sent());
    const at = new Date(Date.now() - 40_000).toISOString();
    await store.ledger.endSending(written, 1, { kind: 'accepted', record: { taskId: 'task-1', at } });
    const told = (await createExpectedEnd(store, 'sandbox')(running))!;
    const leftSeconds = (Date.parse(told.at) - Date.now()) / 1_000;
    expect(leftSeconds).toBeGreaterThan(250);
    expect(leftSeconds).toBeLessThanOrEqual(260);
    expect(told).toMatchObject({ earliest: told.at, latest: told.at, waitsThen: false });

    const take = (): Promise<never> => Promise.reject(new Error('the record is damaged'));
    const damaged = { ...store, ledger: { ...store.ledger, take } };
    expect(await createExpectedEnd(damaged, 'sandbox')(running)).toBeNull();
    const limits = { ...store.account('sandbox').limits, read: take };
    const damagedLimits = { ...store, account: (name: string) => ({ ...store.account(name), limits }) };
    expect(await createExpectedEnd(damagedLimits, 'sandbox')(running)).toBeNull();

    const again = createExpectedEnd(store, 'sandbox');
    const paused = { reason: 'by hand', since: AT };
    for (const silent of [{ state: 'completed' }, { fromStore: true }, { paused }, { held: true }]) {
      expect(await again({ ...running, ...silent } as ProductionStatus)).toBeNull();
    }
  });
});
