import { type DailiesClient } from '../../../client';
import { scheduleId } from '../../../contracts/identifiers';
import { type Rig, startRig } from '../../support/rig';
import { expectAcceptedOnce, template } from '../../support/scheduled';

/** So rare that only runs that a test requests happen. */
const SELDOM = { every: '30d' } as const;

/** A past time of the schedule. */
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

  it('begins once, even if two workflows with other names begin it at once, or one does later', async () => {
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
    // Each workflow runs as long as the production does.
    const end = { productionId: 'twice-hand-20200109T000000Z', state: 'completed' };
    expect(ends).toEqual([end, end]);
    expect(await start('one')).toEqual({ productionId: 'twice-hand-20200109T000000Z', state: 'had' });
    await expectAcceptedOnce(rig, 'twice');
  });
});
