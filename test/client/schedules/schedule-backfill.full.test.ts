import { type DailiesClient } from '../../../client';
import { type Rig, startRig } from '../../support/rig';
import { runsOf, template, untilEnded } from '../../support/scheduled';

describe('a backfill', () => {
  let rig: Rig;
  let schedules: DailiesClient['schedules'];

  beforeAll(async () => {
    rig = await startRig();
    ({ schedules } = rig.client);
  });

  afterAll(() => rig.close());

  const idsOf = async (name: string) => (await runsOf(rig.store, name)).map(({ productionId }) => productionId);

  it('uses times without jitter, and says how many of them have run', async () => {
    // Nearly an hour, so that no run starts at its exact time; on one day of the year, so that none starts by itself.
    await schedules.create('late', { cron: '0 * 9 1 *', jitter: '59m', template: await template() });
    const night = (from: string, to: string) => ({ from: `2020-01-09T${from}Z`, to: `2020-01-09T${to}Z` });
    expect(await schedules.backfill('late', night('00:00', '00:00'))).toEqual({ due: 1, had: 0 });
    await untilEnded(rig.store, 'late', 1);
    expect(await schedules.backfill('late', night('00:00:00.5', '00:59:59'))).toEqual({ due: 0, had: 0 });
    const noSuchDay = { from: '2026-02-30T00:00:00Z', to: '2026-03-02T00:00:00Z' };
    await expect(schedules.backfill('late', noSuchDay)).rejects.toThrow('is not an instant');
    expect(await schedules.backfill('late', night('00:00', '02:00'))).toEqual({ due: 3, had: 1 });
    await untilEnded(rig.store, 'late', 3);
    expect(await schedules.backfill('late', night('00:00', '02:59'))).toEqual({ due: 3, had: 3 });
    expect(await idsOf('late')).toEqual(['late-20200109T000000Z', 'late-20200109T010000Z', 'late-20200109T020000Z']);
    expect(rig.sandbox.tasks()).toHaveLength(3);
  });

  it('does not take a run of another time for one of those that are due', async () => {
    const day = { from: '2020-01-09T00:00Z', to: '2020-01-09T04:00Z' };
    await schedules.create('moved', { cron: '0 2 9 1 *', template: await template() });
    expect(await schedules.backfill('moved', day)).toEqual({ due: 1, had: 0 });
    await untilEnded(rig.store, 'moved', 1);
    await schedules.update('moved', { cron: '0 3 9 1 *' });
    expect(await schedules.backfill('moved', day)).toEqual({ due: 1, had: 0 });
    await untilEnded(rig.store, 'moved', 2);
    expect(await idsOf('moved')).toEqual(['moved-20200109T020000Z', 'moved-20200109T030000Z']);
  });
});
