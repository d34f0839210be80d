import { rm } from 'node:fs/promises';
import { waitsForPeople } from '../../client';
import { planRender } from '../../client/plan';
import { type FrozenProduction } from '../../contracts/frozen';
import { type RenderPlan, type ShotAction } from '../../contracts/render-plan';
import { type ShotState } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { type Injection } from '../../sandbox/faults/injection';
import { createQuotes } from '../../store';
import { betaShot, film, linkedShot, type Rig, shotsBy, startRig } from '../support/rig';
import { until } from '../support/until';
import { type Rules, stateOf, expectedState } from './decided-plans';

/** What a render does is held against its plan, for every state in which a take waits for people or did. */
describe('a plan of takes that people decide about', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(() => rig.close());

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  /** Renders as far as that goes without a person. */
  async function render(production: FrozenProduction, rules: Rules = {}): Promise<ProductionStatus> {
    await rig.start(production, { shots: shotsBy(rules, production), maxInFlight: 1 });
    const status = await until(async () => {
      const now = await rig.client.status(production.id);
      return now !== undefined && (now.state !== 'running' || waitsForPeople(now)) && now;
    });
    // Its workflow still archives that status; until then another render would join it.
    return waitsForPeople(status) ? status : rig.client.ended(production.id);
  }

  /** The same, with a fault that strikes the first shot. */
  async function park(production: FrozenProduction, fault: Injection, rules: Rules = {}): Promise<void> {
    rig.sandbox.faults.inject(fault);
    expect((await render(production, rules)).shots[0]).toMatchObject({ state: 'parked' });
  }

  async function cancel({ id }: FrozenProduction): Promise<void> {
    await rig.client.cancel(id);
    await rig.client.ended(id);
  }

  async function left({ id }: FrozenProduction): Promise<ProductionStatus> {
    await rig.client.resolve(id, 'one', { kind: 'skip' });
    return rig.client.ended(id);
  }

  function plan(production: FrozenProduction, rules: Rules = {}): Promise<RenderPlan> {
    const { store } = rig;
    const quotes = createQuotes(store.records, 'sandbox', {});
    return planRender({ store, account: 'sandbox', quotes, production, shots: shotsBy(rules, production) });
  }

  async function sendings({ id, shots }: FrozenProduction): Promise<Record<string, number>> {
    const counted = shots.map(async (shot) => {
      const takes = await rig.store.ledger.takes(id, shot.id);
      return [shot.id, takes.reduce((sum, take) => sum + take.sendings.length, 0)] as const;
    });
    return Object.fromEntries(await Promise.all(counted));
  }

  /** Plans, then renders, and holds the one against the other: what is sent, how each shot ends, and the film. */
  async function keepsItsPlan(
    production: FrozenProduction,
    expected: Readonly<Record<string, ShotAction>>,
    rules: Rules = {},
    leaves: Partial<Record<string, ShotState>> = {},
  ): Promise<RenderPlan> {
    const planned = await plan(production, rules);
    expect(Object.fromEntries(planned.shots.map(({ shot, action }) => [shot, action]))).toEqual(expected);
    const [before, filmBefore] = [await sendings(production), (await rig.client.status(production.id))?.film];
    const status = await render(production, rules);
    const after = await sendings(production);

    for (const one of planned.shots) {
      const { shot, quote, heldBy } = one;
      expect([shot, after[shot]! - before[shot]!]).toEqual([shot, quote !== null && heldBy.length === 0 ? 1 : 0]);
      expect([shot, stateOf(status, one)]).toEqual([shot, leaves[shot] ?? expectedState(one)]);
    }
    if (planned.film.action === 'reused') expect(status.film).toEqual(filmBefore);
    const isToCome = planned.film.action === 'anew' && !waitsForPeople(status);
    expect(status.film !== null).toBe(isToCome || planned.film.action === 'reused');
    return planned;
  }

  const pair = (id: string): FrozenProduction => film(id, [betaShot('one'), linkedShot('after', 'one')]);

  it.each<[string, Injection, Rules]>([
    ['unclear', { kind: 'accept-500', count: 1 }, {}],
    ['failed', { kind: 'task-fails', count: 1 }, {}],
    ['refused-for-credits', { kind: 'refuse-402', on: 'submit', count: 1 }, {}],
    ['overdue', { kind: 'task-never-ends', count: 1 }, { deadlineSeconds: 3 }],
  ])('lets a take that is parked as %s wait while its render runs', async (id, fault, rules) => {
    const production = pair(`parked-${id}`);
    await park(production, fault, rules);
    const planned = await keepsItsPlan(production, { one: 'waits', after: 'new' }, rules);
    expect(planned).toMatchObject({ underWay: true, joins: true, film: { action: 'anew' } });
    expect(planned.shots).toMatchObject([{ take: 1, reason: expect.any(String) }, { heldBy: ['one'] }]);
    await cancel(production);
  });

  it('asks about an unclear one in the next render too, unless the file has it sent again, once', async () => {
    const production = film('unclear', [betaShot('one')]);
    await park(production, { kind: 'accept-500', count: 1 });
    await cancel(production);
    await keepsItsPlan(production, { one: 'waits' });
    await cancel(production);
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    const resubmit: Rules = { onUnclear: 'resubmit' };
    await keepsItsPlan(production, { one: 'again' }, resubmit, { one: 'parked' });
    await cancel(production);
    await keepsItsPlan(production, { one: 'waits' }, resubmit);
    await cancel(production);
  });

  it('collects an overdue one at no cost in the next render, until it is given up', async () => {
    const production = film('overdue', [betaShot('one')]);
    const rules: Rules = { deadlineSeconds: 3 };
    await park(production, { kind: 'task-never-ends', count: 1 }, rules);
    await cancel(production);
    await keepsItsPlan(production, { one: 'collected' }, rules, { one: 'parked' });
    await left(production);
    await rig.client.resolve('overdue', 'one', { kind: 'resubmit' });
    // This one is rendered, for which the time is too short where the machine is busy.
    const { shots } = await keepsItsPlan(production, { one: 'again' });
    expect(shots).toMatchObject([{ take: 1, reason: 'a person gave it up' }]);
  });

  it('leaves out what a person has, closes the gap of the film, and pays once that is taken back', async () => {
    const production = film('left-out', [betaShot('one'), betaShot('sound')]);
    await park(production, { kind: 'accept-500', count: 1 });
    expect(await left(production)).toMatchObject({ state: 'completed' });
    const planned = await keepsItsPlan(production, { one: 'skipped', sound: 'reused' });
    expect(planned).toMatchObject({ film: { action: 'reused' }, quote: { tasks: 0 } });
    await rig.client.resolve('left-out', 'one', { kind: 'resubmit' });
    const again = await keepsItsPlan(production, { one: 'again', sound: 'reused' });
    expect(again.film).toEqual({ action: 'anew', because: ['clips'] });
  });

  it('renders nothing that starts on what was left out, and no film without it, until that is taken back', async () => {
    const production = film('chain', [betaShot('one'), linkedShot('after', 'one'), linkedShot('last', 'after')]);
    await park(production, { kind: 'task-fails', count: 1 });
    expect(await left(production)).toMatchObject({ state: 'incomplete' });
    const planned = await keepsItsPlan(production, { one: 'skipped', after: 'blocked', last: 'blocked' });
    expect(planned).toMatchObject({
      shots: [{}, { through: ['one'] }, { through: ['after'] }],
      film: { action: 'none', because: ['missing'] },
    });
    // The task that failed is given up with that.
    await rig.client.resolve('chain', 'one', { kind: 'resubmit' });
    await keepsItsPlan(production, { one: 'again', after: 'new', last: 'new' });
  });

  it('tries one that was refused again in the next render, and not in the one that it failed in', async () => {
    const production = film('refused', [betaShot('barred'), betaShot('one'), linkedShot('after', 'barred')]);
    rig.sandbox.faults.inject({ kind: 'refuse-400', on: 'submit', count: 1 });
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await render(production);
    const planned = { barred: 'failed', one: 'waits', after: 'blocked' } as const;
    expect((await keepsItsPlan(production, planned, {}, { after: 'pending' })).film.because).toEqual(['missing']);
    await cancel(production);
    await keepsItsPlan(production, { one: 'waits', barred: 'again', after: 'new' });
    await cancel(production);
  });

  it('asks about one whose clip of the person’s own is not in the store any more', async () => {
    const source = film('source', [betaShot('one')]);
    const clip = (await render(source)).shots[0]?.takes[0]?.asset;
    const production = pair('given');
    await park(production, { kind: 'accept-500', count: 1 });
    await rig.client.resolve('given', 'one', { kind: 'use', asset: clip! });
    await rig.client.ended('given');
    await keepsItsPlan(production, { one: 'reused', after: 'reused' });
    await rm(rig.store.assets.localPath(clip!));
    await keepsItsPlan(production, { one: 'waits', after: 'stale' });
    await cancel(production);
  });
});
