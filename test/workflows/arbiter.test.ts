import { type FrozenProduction } from '../../contracts/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { planOf } from '../support/rig';
import { until } from '../support/until';
import {
  rig,
  picture,
  begin,
  limit,
  view,
  someWait,
  prompts,
  mostUnfinished,
  completed,
  settleEndless,
} from './limited-account';

describe('the arbiter of an account', () => {
  it('is not needed where no limit is set', async () => {
    await begin('free', 2);
    await completed('free');
    expect(await rig.client.arbiter.view()).toBeUndefined();
  });

  it('lets no more tasks be unfinished than were allowed, over several productions and single tasks', async () => {
    await limit({ inFlight: 3 });
    const one: FrozenProduction = { version: 1, id: GENERATIONS, title: 'own', shots: [picture('own', 'own')] };
    const [shot] = planOf(one).shots;
    const generated = rig.client.generate({
      generationId: 'own',
      production: await rig.store.putJson(one),
      shot: shot!,
      mode: 'execute',
    });
    await Promise.all([begin('one', 5), begin('two', 5)]);
    await completed('one', 'two');
    expect(await generated).toMatchObject({ state: 'completed' });
    expect(mostUnfinished('one', 'two', 'own')).toBe(3);
    // Every place is free again: nobody holds one whose task has ended.
    await until(async () => (await view()).inFlight === 0);
  });

  it('says what waits, why and since when', async () => {
    await limit({ inFlight: 1 }, { 'pixel-image-1': { inFlight: 7 } });
    const begun = new Date().toISOString();
    rig.sandbox.faults.inject({ kind: 'task-never-ends', count: 1 });
    await begin('told', 2, { priority: 'urgent' }, { onFailure: 'fail' });
    const {
      waiting: [first],
      limits,
    } = await someWait();
    expect(limits).toEqual({ account: { inFlight: 1 }, models: { 'pixel-image-1': { inFlight: 7 } } });
    expect(first).toMatchObject({
      production: 'told',
      take: 1,
      model: 'pixel-image-1',
      priority: 'urgent',
      waitsFor: '1 tasks are in flight, of at most 1',
    });
    expect(first!.since > begun).toBe(true);
    await limit({ inFlight: 2 });
    await until(() => prompts('told').length === 2);
    await settleEndless();
    await rig.client.ended('told');
  });
});
