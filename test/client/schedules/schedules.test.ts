import { setTimeout as sleep } from 'node:timers/promises';
import { type Rig, startRig } from '../../support/rig';
import {
  betweenTimes,
  endedRuns,
  expectAcceptedOnce,
  madeAt,
  runsOf,
  template,
  timesBetween,
  untilCounted,
  untilEnded,
} from '../../support/scheduled';
import { until } from '../../support/until';

/** The step of the schedule under test. */
const STEP_MS = 2_000;

describe('a schedule that fires every two seconds', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(() => rig.close());

  it('accounts for every time, through an overlap, a pause and a backfill, and pays for each once', async () => {
    const { store, client } = rig;
    const { schedules } = client;
    const made = await schedules.create('night', { every: '2s', catchUp: '1m', template: await template() });
    expect(made).toMatchObject({ state: 'active', catchUpSeconds: 60 });
    const begins = await madeAt(rig, 'night');
    await untilEnded(store, 'night', 2);
    rig.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds: 5 });
    await untilCounted(rig, 'night', ({ skipped }) => skipped >= 2);

    const pausedFrom = await betweenTimes(STEP_MS, () => schedules.pause('night', 'the gateway is being mended'));
    expect(await schedules.show('night')).toMatchObject({ state: 'paused', note: 'the gateway is being mended' });
    await sleep(3 * STEP_MS);
    const pausedUntil = await betweenTimes(STEP_MS, () => schedules.resume('night'));
    await untilEnded(store, 'night', (await runsOf(store, 'night')).length + 1);
    const ends = await betweenTimes(STEP_MS, () => schedules.pause('night'));
    // A started run may not have begun yet.
    await until(async () => {
      const { counts: now, underWay } = await schedules.show('night');
      return underWay.length === 0 && now?.started === (await endedRuns(store, 'night')).length;
    });

    const { counts, runs } = await schedules.show('night');
    const started = await runsOf(store, 'night');
    const [all, paused] = [timesBetween(STEP_MS, begins, ends), timesBetween(STEP_MS, pausedFrom, pausedUntil)];
    expect(counts).toMatchObject({ started: started.length, missed: 0, dropped: 0 });
    const accounted = started.length + (counts?.skipped ?? 0);
    expect(accounted).toBeGreaterThanOrEqual(all.least - paused.most);
    expect(accounted).toBeLessThanOrEqual(all.most - paused.least);
    expect(runs[0]).toMatchObject({ production: started.at(-1)?.productionId, state: 'completed', by: 'schedule' });

    // Once with its own file and once with another: past runs do not change.
    const takes = rig.sandbox.tasks().length;
    await beginAgain(started.slice(0, 2));
    await schedules.update('night', {
      template: await template('{ shots: [{ id: b, model: beta-video, prompt: a quay }] }'),
    });
    await beginAgain(started.slice(-2));
    expect(rig.sandbox.tasks()).toHaveLength(takes);
    await expectAcceptedOnce(rig, 'night');
  });

  async function beginAgain(runs: Awaited<ReturnType<typeof runsOf>>): Promise<void> {
    const { schedules } = rig.client;
    const before = (await schedules.show('night')).counts?.started ?? 0;
    for (const { scheduledAt } of runs) {
      expect(await schedules.backfill('night', { from: scheduledAt, to: scheduledAt })).toEqual({ due: 1, had: 1 });
    }
    await untilCounted(rig, 'night', ({ started }) => started === before + runs.length);
    for (const { scheduledAt } of runs) {
      const id = `scheduled/${rig.store.id}/night-${scheduledAt.replace('.000Z', 'Z')}`;
      expect(await rig.temporal.client.workflow.getHandle(id).result()).toMatchObject({ state: 'had' });
    }
  }
});
