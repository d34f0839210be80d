import { rm } from 'node:fs/promises';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ProductionStatus } from '../../contracts/status';
import { type Injection } from '../../sandbox/faults/injection';
import { betaShot, film, linkedShot } from '../support/rig';
import { type Rules, rig, render, park, cancel, keepsItsPlan, pair } from './plan-against-render';

/** Compares renders with their plans, for every state in which a take waits or waited for people. */
describe('a plan of takes that people decide about', () => {
  async function left({ id }: FrozenProduction): Promise<ProductionStatus> {
    await rig.client.resolve(id, 'one', { kind: 'skip' });
    return rig.client.ended(id);
  }

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

  it('waits for a decision on an unclear one in the next render too, unless the file allows one resend', async () => {
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
    // This one is rendered; on a busy machine the time is too short for it.
    const { shots } = await keepsItsPlan(production, { one: 'again' });
    expect(shots).toMatchObject([{ take: 1, reason: 'a person gave it up' }]);
  });

  it('leaves out a skipped shot, closes the gap of the film, and pays once the skip is taken back', async () => {
    const production = film('left-out', [betaShot('one'), betaShot('sound')]);
    await park(production, { kind: 'accept-500', count: 1 });
    expect(await left(production)).toMatchObject({ state: 'completed' });
    const planned = await keepsItsPlan(production, { one: 'skipped', sound: 'reused' });
    expect(planned).toMatchObject({ film: { action: 'reused' }, quote: { tasks: 0 } });
    await rig.client.resolve('left-out', 'one', { kind: 'resubmit' });
    const again = await keepsItsPlan(production, { one: 'again', sound: 'reused' });
    expect(again.film).toEqual({ action: 'anew', because: ['clips'] });
  });

  it('renders nothing that starts on a skipped shot, and no film without it, until the skip is taken back', async () => {
    const production = film('chain', [betaShot('one'), linkedShot('after', 'one'), linkedShot('last', 'after')]);
    await park(production, { kind: 'task-fails', count: 1 });
    expect(await left(production)).toMatchObject({ state: 'incomplete' });
    const planned = await keepsItsPlan(production, { one: 'skipped', after: 'blocked', last: 'blocked' });
    expect(planned).toMatchObject({
      shots: [{}, { through: ['one'] }, { through: ['after'] }],
      film: { action: 'none', because: ['missing'] },
    });
    // This also gives up the failed task.
    await rig.client.resolve('chain', 'one', { kind: 'resubmit' });
    await keepsItsPlan(production, { one: 'again', after: 'new', last: 'new' });
  });

  it('retries a refused one in the next render, but not in the one in which it failed', async () => {
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

  it('waits for a decision on one whose own clip is no longer in the store', async () => {
    const source = film('source', [betaShot('one')]);
    const clip = (await render(source)).shots[0]?.takes[0]?.asset;
    const production = pair('given');
    await park(production, { kind: 'accept-500', count: 1 });
    await rig.client.resolve('given', 'one', { kind: 'use', asset: clip! });
    await rig.client.ended('given');
    await keepsItsPlan(production, { one: 'reused', after: 'reused' });
    await rm(rig.store.assets.shownPath(clip!));
    await keepsItsPlan(production, { one: 'waits', after: 'stale' });
    await cancel(production);
  });

  it.each<[string, Injection]>([
    ['failed', { kind: 'task-fails', count: 1 }],
    ['refused-for-credits', { kind: 'refuse-402', on: 'submit', count: 1 }],
  ])('pays again for one that is parked as %s once its render has ended', async (id, fault) => {
    const production = pair(`ended-${id}`);
    await park(production, fault);
    await cancel(production);
    const { joins, underWay } = await keepsItsPlan(production, { one: 'again', after: 'new' });
    expect({ joins, underWay }).toEqual({ joins: false, underWay: false });
  });
});
