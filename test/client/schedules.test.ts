import { setTimeout as sleep } from 'node:timers/promises';
import { type Rig, startRig } from '../support/rig';
import { expectAcceptedOnce, runsOf, template, untilCounted, untilEnded } from '../support/scheduled';

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
    const begins = await betweenTimes();
    const made = await schedules.create('night', { every: '2s', template: await template() });
    expect(made).toMatchObject({ state: 'active', catchUpSeconds: 10, counts: { started: 0 } });
    await untilEnded(store, 'night', 2);
    rig.sandbox.faults.inject({ kind: 'accept-late', count: 1, seconds: 5 });
    await untilCounted(rig, 'night', ({ skipped }) => skipped >= 2);

    const pausedFrom = await betweenTimes();
    await schedules.pause('night', 'the gateway is being mended');
    expect(await schedules.show('night')).toMatchObject({ state: 'paused', note: 'the gateway is being mended' });
    await sleep(3 * STEP_MS);
    const pausedUntil = await betweenTimes();
    await schedules.resume('night');
    await untilEnded(store, 'night', (await runsOf(store, 'night')).length + 1);
    const ends = await betweenTimes();
    await schedules.pause('night');
    await untilEnded(store, 'night');

    const { counts, runs } = await schedules.show('night');
    const started = await runsOf(store, 'night');
    const due = timesBetween(begins, ends) - timesBetween(pausedFrom, pausedUntil);
    expect(counts).toMatchObject({ started: started.length, missed: 0, dropped: 0 });
    expect(due).toBe(started.length + (counts?.skipped ?? 0));
    expect(runs[0]).toMatchObject({ production: started.at(-1)?.productionId, state: 'completed', by: 'schedule' });

    // Once with the file that it had, and once with another: what ran is what it was.
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

/** Times of a schedule in a stretch of which both ends lie between its times. */
function timesBetween(from: number, to: number): number {
  return Math.floor(to / STEP_MS) - Math.floor(from / STEP_MS);
}

/** Waits until half of a step has passed since the last time, so that no time is due right now. */
async function betweenTimes(): Promise<number> {
  await sleep(STEP_MS - ((Date.now() + STEP_MS / 2) % STEP_MS));
  return Date.now();
}
