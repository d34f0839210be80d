import { type FrozenProduction } from '../../../contracts/render/frozen';
import { GENERATIONS } from '../../../contracts/identifiers';
import { planOf } from '../../support/rig';
import { until } from '../../support/until';
import { begin, completed, limit, mostUnfinished, picture, rig, view } from '../limited-account';

describe('the arbiter of an account', () => {
  it('is not needed if no limit is set', async () => {
    await begin('free', 2);
    await completed('free');
    expect(await rig.client.arbiter.view()).toBeUndefined();
  });

  it('keeps the number of unfinished tasks within the limit, across productions and single tasks', async () => {
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
    // Every place is free again, since all tasks have ended.
    await until(async () => (await view()).inFlight === 0);
  });
});
