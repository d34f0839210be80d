import { scheduleId, scheduledRunWorkflowId } from '../../contracts/identifiers';
import { setStage, type Stage } from '../../drill/stage';
import { type WorkerProcess } from '../../drill/worker-process';
import { PICTURE_FILE, template, untilEnded } from '../support/scheduled';
import { PLAIN } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';

/** Times of a rare schedule. */
const [FIRST, SECOND] = ['2020-01-09T00:00:00Z', '2020-02-08T00:00:00Z'];

/** Two separate Temporal servers, each with a worker, on one store and one gateway. */
describe('the same schedule on two clusters', () => {
  let one: Stage;
  let other: Stage;
  let workers: readonly WorkerProcess[];

  beforeAll(async () => {
    [one, other] = await Promise.all([
      setStage(await temporaryFolder(), PLAIN),
      setStage(await temporaryFolder(), PLAIN),
    ]);
    workers = await Promise.all([one.startWorker(), one.startWorker({ temporalAddress: other.temporalAddress })]);
  });

  afterAll(async () => {
    for (const worker of workers) worker.signal('SIGTERM');
    await Promise.all(workers.map(({ ended }) => ended));
    await Promise.all([one.close(), other.close()]);
  });

  it('renders each time once, whether both start it at once or one after the other', async () => {
    const { store, client } = one;
    const { schedules } = client;
    await schedules.create('night', { every: '30d', template: await template() });
    const { action, spec, policies } = await one.temporal.client.schedule
      .getHandle(scheduleId(store.id, 'night'))
      .describe();
    const twin = await other.temporal.client.schedule.create({
      scheduleId: scheduleId(store.id, 'night'),
      spec,
      policies,
      action,
    });
    // The other one has the old file: the first to start a time decides which file it uses.
    await schedules.update('night', { template: await template(PICTURE_FILE.replace('lighthouse', 'quay')) });
    const times = { start: new Date(Date.parse(FIRST) - 1), end: new Date(FIRST), overlap: 'BUFFER_ALL' as const };
    await Promise.all([schedules.backfill('night', { from: FIRST, to: FIRST }), twin.backfill(times)]);
    const ends = await Promise.all([one, other].map((stage) => resultAt(stage, FIRST)));
    expect(ends).toContain('completed');
    await untilEnded(store, 'night', 1);
    expect(one.sandbox.tasks()).toHaveLength(1);

    await schedules.backfill('night', { from: SECOND, to: SECOND });
    expect(await resultAt(one, SECOND)).toBe('completed');
    await twin.backfill({ ...times, end: new Date(SECOND) });
    expect(await resultAt(other, SECOND)).toBe('had');
    expect(one.sandbox.tasks()).toHaveLength(2);
    expect(other.sandbox.tasks()).toEqual([]);
  });

  async function resultAt({ temporal }: Stage, time: string): Promise<string> {
    const id = `${scheduledRunWorkflowId(one.store.id, 'night')}-${time}`;
    for (;;) {
      try {
        const { state } = (await temporal.client.workflow.getHandle(id).result()) as { readonly state: string };
        return state;
      } catch (error) {
        if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }
});
