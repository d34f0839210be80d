import { type FrozenProduction } from '../../../contracts/render/frozen';
import { type PlannedShot } from '../../../contracts/render/plan';
import { type ProductionStatus, type ShotStatus } from '../../../contracts/status';
import { choiceAddress, type TakeHistory } from '../../../store';
import { betaShot, film, linkedShot, pictureShot, planOf, type Rig, shotsBy, startRig } from '../../support/rig';
import { until } from '../../support/until';

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

  it('collects the paid task of a cancelled shot while a take beside it becomes unclear', async () => {
    rig.sandbox.faults.inject({ kind: 'slow', on: 'submit', count: 2, seconds: 10 });
    rig.sandbox.faults.inject({ kind: 'refuse-500', on: 'submit', count: 1 });
    await start(film('lost', [betaShot('a')]), { takes: 2, onUnclear: 'resubmit' });
    await until(async () => (await takes('lost', 'a')).filter(({ sendings }) => sendings.length > 0).length === 2);
    await rig.client.cancel('lost');
    const [shot] = (await rig.client.ended('lost')).shots;
    expect(shot?.takes.map(({ state, asset }) => [state, asset !== null]).toSorted()).toEqual([
      ['completed', true],
      ['unclear', false],
    ]);
    expect((await takes('lost', 'a')).flatMap(({ decisions }) => decisions)).toEqual([]);
  });

  it('continues from the chosen take while another is at the gateway, which is collected before the end', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'file-slow', count: 1, seconds: 20 });
    const chain = film('ahead', [betaShot('one'), linkedShot('two', 'one')]);
    const shots = planOf(chain).shots.map((shot) => (shot.id === 'one' ? { ...shot, takes: 2 } : shot));
    await rig.start(chain, { shots });
    const seen = await until(async () => {
      const status = await rig.client.status('ahead');
      return status?.shots[1]?.takes[0]?.taskId == null ? undefined : status;
    });
    expect(seen.shots[0]).toMatchObject({ state: 'rendering', filmTake: expect.any(Number) });
    expect(seen.shots[0]!.takes.map(({ state }) => state).toSorted()).toEqual(['completed', 'rendering']);
    const status = await rig.client.ended('ahead');
    expect(status.shots[0]!.takes.map(({ state }) => state)).toEqual(['completed', 'completed']);
    expect(status.shots[0]!.filmTake).toBe(seen.shots[0]!.filmTake);
    expect(accepted()).toBe(before + 3);
  });

  it('choosing the other take, and back, pays once for what starts on it', async () => {
    const chain = film('back', [betaShot('one'), linkedShot('two', 'one')]);
    const first = await render(chain, { takes: 1, directed: false });
    const shots = planOf(chain).shots.map((shot) => (shot.id === 'one' ? { ...shot, takes: 2 } : shot));
    await rig.start(chain, { shots });
    await rig.client.ended('back');
    const [one, other] = await takes('back', 'one');
    const { directing } = rig.store;
    const address = choiceAddress({ account: 'sandbox', productionId: 'back', shot: chain.shots[0]!, links: [] });
    const choose = async ({ intent, take }: TakeHistory): Promise<ProductionStatus> => {
      await directing.choose(address, { takeKey: intent.takeKey, take, by: 'person', approved: true });
      await rig.start(chain, { shots: shots.map((shot) => ({ ...shot, directed: true })) });
      return rig.client.ended('back');
    };
    const before = accepted();
    const changed = await choose(other!);
    expect(changed.shots.map(({ filmTake }) => filmTake)).toEqual([2, 2]);
    expect(accepted()).toBe(before + 1);
    const charged = await charges('back');
    const back = await choose(one!);
    expect(back.shots.map(({ filmTake }) => filmTake)).toEqual([1, 1]);
    expect(back.film).toEqual(first.film);
    expect(accepted()).toBe(before + 1);
    expect(await charges('back')).toBe(charged);
    expect(charged).toBe(4 * rig.sandbox.tasks().at(-1)!.credits);
  });

  async function charges(id: string): Promise<number> {
    const all = await Promise.all(['one', 'two'].map((shot) => takes(id, shot)));
    return all.flat().reduce((sum, { settled }) => sum + (settled?.credits ?? 0), 0);
  }

  it('if one fails, chooses the other without asking anybody', async () => {
    const before = accepted();
    rig.sandbox.faults.inject({ kind: 'task-fails', count: 1 });
    const status = await render(film('one-fails', [pictureShot('a')]), { takes: 2 });
    expect(status.shots[0]).toMatchObject({ state: 'completed', parked: null });
    const chosen = status.shots[0]!.takes.find(({ take }) => take === status.shots[0]!.filmTake);
    expect(chosen!.state).toBe('completed');
    expect(status.shots[0]!.takes.map(({ state }) => state).toSorted()).toEqual(['completed', 'failed']);
    // Once a take is chosen, another render does not try the failed one again.
    await render(film('one-fails', [pictureShot('a')]), { takes: 2, directed: true });
    expect(accepted()).toBe(before + 2);
  });

  it('if all end in one moment, they are reported to the production in order', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 6 });
    await start(film('at-once', [pictureShot('a')]), { takes: 6, mode: 'execute' });
    const shot = await shotWhen('at-once', ({ state }) => state === 'parked');
    expect(shot.takes.map(({ state }) => state)).toEqual(Array(6).fill('failed'));
    await rig.client.cancel('at-once');
    await rig.client.ended('at-once');
  });

  it.each([
    { onFailure: 'skip', state: 'skipped', film: 'completed' },
    { onFailure: 'fail', state: 'failed', film: 'incomplete' },
  ] as const)(
    'if a task fails and the file says $onFailure, the shot is $state without asking anybody',
    async (expected) => {
      rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
      const { onFailure } = expected;
      const status = await render(film(`on-failure-${onFailure}`, [pictureShot('a')]), { onFailure });
      expect(status).toMatchObject({ state: expected.film, shots: [{ state: expected.state }] });
      expect(status.shots[0]!.reason).toContain('content_policy');
    },
  );

  it('never passes over an unclear take because of onFailure', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await start(film('not-passed', [pictureShot('a')]), { onFailure: 'skip' });
    expect(await shotWhen('not-passed', ({ state }) => state === 'parked')).toMatchObject({
      parked: { for: 'unclear' },
    });
    await rig.client.resolve('not-passed', 'a', { kind: 'skip' });
    await rig.client.ended('not-passed');
  });

  it('if one is unclear, chooses the other, and keeps the unclear one in the ledger', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    const status = await render(film('one-unclear', [pictureShot('a')]), { takes: 2 });
    expect(status.shots[0]).toMatchObject({ state: 'completed', parked: null });
    const unclear = (await takes('one-unclear', 'a')).filter(({ sendings }) => sendings[0]?.unclear !== undefined);
    expect(unclear).toMatchObject([{ decisions: [] }]);
  });

  it('if all are parked, each is decided by its number', async () => {
    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 2 });
    await start(film('parked', [pictureShot('a')]), { takes: 2 });
    const shot = await shotWhen('parked', ({ state }) => state === 'parked');
    expect(shot.reason).toMatch(/take 1: .*; take 2: /);
    const resolve = (take: number | null): Promise<unknown> =>
      rig.client.resolve('parked', 'a', { kind: 'resubmit' }, take);
    await expect(resolve(null)).rejects.toThrow('takes 1, 2 are parked; name one of them');
    await expect(resolve(7)).rejects.toThrow('take 7 is not parked; parked takes: 1, 2');
    await resolve(2);
    const status = await rig.client.ended('parked');
    expect(status.shots[0]).toMatchObject({ state: 'completed', filmTake: 3 });
    expect((await takes('parked', 'a')).map(({ decisions }) => decisions.length)).toEqual([0, 1, 0]);
  });
});
