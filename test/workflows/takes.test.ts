import { type FrozenProduction } from '../../contracts/frozen';
import { type PlannedShot } from '../../contracts/plan';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { choiceAddress, createDirecting, type TakeHistory } from '../../store';
import { betaShot, film, linkedShot, pictureShot, type Rig, shotsBy, startRig } from '../support/rig';
import { until } from '../support/until';

describe('takes side by side', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(() => rig.close());

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  const accepted = (): number => rig.sandbox.tasks().length;

  async function start(production: FrozenProduction, rules: Partial<PlannedShot>): Promise<void> {
    await rig.start(production, { shots: shotsBy(rules, production) });
  }

  async function render(production: FrozenProduction, rules: Partial<PlannedShot>): Promise<ProductionStatus> {
    await start(production, rules);
    return rig.client.ended(production.id);
  }

  const takes = (id: string, shot: string): Promise<readonly TakeHistory[]> => rig.store.ledger.takes(id, shot);

  async function shotWhen(id: string, isSo: (shot: ShotStatus) => boolean): Promise<ShotStatus> {
    return until(async () => (await rig.client.status(id))?.shots.find(isSo));
  }

  it('renders them all, goes on from the first that completes, and chooses the same in every later render', async () => {
    const before = accepted();
    const chain = film('chain', [betaShot('one'), linkedShot('two', 'one')]);
    const status = await render(chain, { takes: 2 });
    expect(status).toMatchObject({ state: 'completed', assembly: 'completed' });
    expect(accepted()).toBe(before + 4);
    const [one, two] = status.shots;
    expect(one!.takes.map(({ state }) => state)).toEqual(['completed', 'completed']);
    const chosen = one!.takes.find(({ take }) => take === one!.filmTake);
    expect(await choiceOf(chain, 'one')).toMatchObject({ takeKey: chosen!.takeKey, by: 'first', approved: false });
    // Both takes of the second shot start on the chosen one's last frame.
    for (const { intent } of await takes('chain', 'two')) {
      expect(intent.parameters['startFrame']).toBe(`sha256:${chosen!.lastFrame!.asset.sha256}`);
    }

    const again = await render(chain, { takes: 2, directed: true });
    expect(again.shots.map(({ filmTake }) => filmTake)).toEqual([one!.filmTake, two!.filmTake]);
    expect(again.film).toEqual(status.film);
    expect(accepted()).toBe(before + 4);
  });

  async function choiceOf({ id, shots }: FrozenProduction, shotId: string): Promise<unknown> {
    const shot = shots.find((one) => one.id === shotId)!;
    return createDirecting(rig.store.records).choice(
      choiceAddress({ account: 'sandbox', productionId: id, shot, links: [] }),
    );
  }

  it('one is unclear: the other stands, and the unclear one stays in the books', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    const status = await render(film('one-unclear', [pictureShot('a')]), { takes: 2 });
    expect(status.shots[0]).toMatchObject({ state: 'completed', parked: null });
    const unclear = (await takes('one-unclear', 'a')).filter(({ sendings }) => sendings[0]?.unclear !== undefined);
    expect(unclear).toMatchObject([{ decisions: [] }]);
  });

  it('all are parked: each is decided by its number', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 2 });
    await start(film('parked', [pictureShot('a')]), { takes: 2 });
    const shot = await shotWhen('parked', ({ state }) => state === 'parked');
    expect(shot.reason).toMatch(/take 1: .*; take 2: /);
    const resolve = (take: number | null): Promise<unknown> =>
      rig.client.resolve('parked', 'a', { kind: 'resubmit' }, take);
    await expect(resolve(null)).rejects.toThrow('takes 1, 2 are parked; name the one that is meant');
    await expect(resolve(7)).rejects.toThrow('take 7 is not parked; parked is 1, 2');
    await resolve(2);
    const status = await rig.client.ended('parked');
    expect(status.shots[0]).toMatchObject({ state: 'completed', filmTake: 3 });
    expect((await takes('parked', 'a')).map(({ decisions }) => decisions.length)).toEqual([0, 1, 0]);
  });
});
