import { type DailiesClient } from '../../../client';
import { scheduleId } from '../../../contracts/identifiers';
import { type Rig, startRig } from '../../support/rig';
import { expectAcceptedOnce, template } from '../../support/scheduled';

/** Comes seldom enough that only what a test asks for runs. */
const SELDOM = { every: '30d' } as const;

/** A time of it, long ago. */
const FIRST = '2020-01-09T00:00:00Z';

describe('a scheduled run', () => {
  let rig: Rig;
  let schedules: DailiesClient['schedules'];

  beforeAll(async () => {
    rig = await startRig();
    ({ schedules } = rig.client);
  });

  afterEach(() => {
    rig.sandbox.faults.clear();
  });

  afterAll(() => rig.close());

  it('is begun once, when two begin it at once under other names, and once more later', async () => {
    rig.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds: 2 });
    await schedules.create('twice', { ...SELDOM, template: await template() });
    const [{ args, taskQueue }] = [
      (await rig.temporal.client.schedule.getHandle(scheduleId(rig.store.id, 'twice')).describe()).action,
    ];
    const [input] = args as [object];
    const start = (workflowId: string) =>
      rig.temporal.client.workflow.execute('scheduledRun', {
        workflowId,
        taskQueue,
        args: [{ ...input, triggeredAt: FIRST }],
      });
    const ends = await Promise.all([start('one'), start('other')]);
    // Each is under way as long as the production is.
    const end = { productionId: 'twice-hand-20200109T000000Z', state: 'completed' };
    expect(ends).toEqual([end, end]);
    expect(await start('one')).toEqual({ productionId: 'twice-hand-20200109T000000Z', state: 'had' });
    await expectAcceptedOnce(rig, 'twice');
  });
});
