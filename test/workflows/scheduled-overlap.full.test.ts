import { type DailiesClient } from '../../client';
import { productionWorkflowId } from '../../contracts/identifiers';
import { type Rig, startRig } from '../support/rig';
import { endedRuns, runsOf, template, untilCounted, untilEnded } from '../support/scheduled';
import { until } from '../support/until';

const SELDOM = { every: '30d' } as const;

/** Four past times of the schedule. */
const [FIRST, SECOND, FOURTH] = ['2020-01-09T00:00:00Z', '2020-02-08T00:00:00Z', '2020-04-08T00:00:00Z'];

describe('a time that comes while a run is under way', () => {
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

  /** Creates a schedule and starts its first run, which ends only once the faults are cleared. */
  async function underWay(name: string): Promise<void> {
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
    const tasks = rig.sandbox.tasks().length;
    await schedules.create(name, { ...SELDOM, template: await template() });
    await schedules.backfill(name, { from: FIRST, to: FIRST });
    await until(() => rig.sandbox.tasks().length > tasks);
  }

  it('waits if the rule buffers one, and is skipped if one waits already', async () => {
    await underWay('one');
    expect(await schedules.backfill('one', { from: SECOND, to: FOURTH, overlap: 'buffer-one' })).toMatchObject({
      due: 3,
    });
    await untilCounted(rig, 'one', ({ skipped }) => skipped === 2);
    expect(await runsOf(rig.store, 'one')).toHaveLength(1);
    rig.sandbox.faults.clear();
    await untilEnded(rig.store, 'one', 2);
    expect((await schedules.show('one')).counts).toMatchObject({ started: 2, skipped: 2, waiting: 0 });
  });

  it('runs beside it if the rule allows all', async () => {
    await underWay('all');
    await schedules.backfill('all', { from: SECOND, to: FOURTH, overlap: 'allow-all' });
    await until(async () => (await runsOf(rig.store, 'all')).length === 4);
    expect((await schedules.show('all')).underWay).toContain('all-20200109T000000Z');
    rig.sandbox.faults.clear();
    await untilEnded(rig.store, 'all', 4);
  });

  it('drains the current run if the rule cancels it, and then runs', async () => {
    const before = rig.sandbox.tasks().length;
    await underWay('other');
    await schedules.backfill('other', { from: SECOND, to: SECOND, overlap: 'cancel-other' });
    const first = rig.temporal.client.workflow.getHandle(productionWorkflowId(rig.store.id, 'other-20200109T000000Z'));
    await until(async () => {
      const { events } = await first.fetchHistory();
      return events?.some(({ workflowExecutionCancelRequestedEventAttributes: cancelled }) => cancelled != null);
    });
    expect(await runsOf(rig.store, 'other')).toHaveLength(1);
    rig.sandbox.faults.clear();
    await untilEnded(rig.store, 'other', 2);
    const [drained, next] = await endedRuns(rig.store, 'other');
    const [end, begin] = await Promise.all([drained, next].map((run) => rig.client.status(run!.productionId)));
    expect(end?.production).toBe('other-20200109T000000Z');
    expect(begin!.startedAt > end!.endedAt!).toBe(true);
    const [paid] = await rig.store.ledger.takes('other-20200109T000000Z', 'a');
    expect(paid?.output).toBeDefined();
    expect((await schedules.show('other')).state).toBe('active');
    expect(rig.sandbox.tasks()).toHaveLength(before + 2);
  });
});
