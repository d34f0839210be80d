import { defineSearchAttributeKey } from '@temporalio/common';
import { type DailiesClient } from '../../../client';
import {
  productionWorkflowId,
  scheduledRunWorkflowId,
  scheduleId,
  triggeredRunWorkflowId,
} from '../../../contracts/identifiers';
import { betaShot, film, type Rig, startRig } from '../../support/rig';
import { endedRuns, PICTURE_FILE, runsOf, template, untilCounted, untilEnded } from '../../support/scheduled';
import { until } from '../../support/until';

/** So rare that only runs that a test requests happen. */
const SELDOM = { every: '30d' } as const;

/** Past times of the schedule. */
const [FIRST, SECOND] = ['2020-01-09T00:00:00Z', '2020-02-08T00:00:00Z'];
const FOURTH = '2020-04-08T00:00:00Z';

/** The search attribute that Temporal's schedules set on the workflows that they start. */
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

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

  /** Runs that start from now on end only once the faults are cleared. */
  function hearNoEnd(): void {
    rig.sandbox.faults.inject({ kind: 'refuse-503', on: 'read', share: 1 });
  }

  function resultOf(workflowId: string): Promise<unknown> {
    return rig.temporal.client.workflow.getHandle(workflowId).result();
  }

  it('that waits for a person counts as ended for its schedule, and continues when it is answered', async () => {
    const before = rig.sandbox.tasks().length;
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await schedules.create('parked', { ...SELDOM, template: await template() });
    await schedules.backfill('parked', { from: FIRST, to: SECOND });
    // The second run begins although the first one waits, since a waiting run is not under way.
    await untilEnded(rig.store, 'parked', 1);
    expect(await resultOf(`${scheduledRunWorkflowId(rig.store.id, 'parked')}-${FIRST}`)).toMatchObject({
      state: 'waiting',
    });
    // Started again, it is not under way either.
    const { action } = await rig.temporal.client.schedule.getHandle(scheduleId(rig.store.id, 'parked')).describe();
    expect(
      await rig.temporal.client.workflow.execute('scheduledRun', {
        workflowId: 'begun-while-it-waits',
        taskQueue: action.taskQueue,
        args: action.args ?? [],
        typedSearchAttributes: [{ key: SCHEDULED_AT, value: new Date(FIRST) }],
      }),
    ).toMatchObject({ state: 'waiting' });
    const { state, runs } = await schedules.show('parked');
    expect(state).toBe('active');
    expect(runs).toMatchObject([
      { production: 'parked-20200208T000000Z', state: 'completed', number: 2 },
      { production: 'parked-20200109T000000Z', state: 'waiting', number: 1 },
    ]);
    await rig.client.resolve('parked-20200109T000000Z', 'a', { kind: 'resubmit' });
    await untilEnded(rig.store, 'parked', 2);
    // One task for each run, and one more by a person's decision.
    expect(rig.sandbox.tasks()).toHaveLength(before + 3);
  });

  it('that ends incomplete pauses its schedule; started again it pays for nothing, and a person renders it again', async () => {
    const broken =
      '{ models: { no-such-model: { output: image } }, shots: [{ id: a, model: no-such-model, prompt: x }] }';
    await schedules.create('broken', { ...SELDOM, template: await template(broken) });
    await schedules.backfill('broken', { from: FIRST, to: FIRST });
    await until(async () => (await schedules.show('broken')).state === 'paused');
    const { note, runs } = await schedules.show('broken');
    expect(note).toContain('failure');
    expect(runs).toMatchObject([{ state: 'incomplete', reason: 'not rendered: a' }]);

    const requests = await sendings('broken-20200109T000000Z');
    await schedules.backfill('broken', { from: FIRST, to: FIRST });
    await untilCounted(rig, 'broken', ({ started }) => started === 2);
    expect(await resultOf(`${scheduledRunWorkflowId(rig.store.id, 'broken')}-${FIRST}`)).toMatchObject({
      state: 'had',
    });
    expect(await sendings('broken-20200109T000000Z')).toBe(requests);
    await schedules.again('broken', 'broken-20200109T000000Z');
    await rig.client.ended('broken-20200109T000000Z');
    expect(await sendings('broken-20200109T000000Z')).toBe(requests + 1);
    await expect(schedules.again('broken', 'film')).rejects.toThrow('schedule "broken" has no run "film"');
  });

  it.each(['a failure', 'a person'])('of a backfill does not begin if %s has paused its schedule', async (by) => {
    const name = by.replace(' ', '-');
    const tasks = rig.sandbox.tasks().length;
    if (by === 'a failure') rig.sandbox.faults.inject({ kind: 'refuse-400', count: 1, on: 'submit' });
    else hearNoEnd();
    await schedules.create(name, { ...SELDOM, template: await template() });
    expect(await schedules.backfill(name, { from: FIRST, to: FOURTH })).toEqual({ due: 4, had: 0 });
    if (by === 'a person') {
      await until(() => rig.sandbox.tasks().length > tasks);
      await schedules.pause(name);
      rig.sandbox.faults.clear();
    }
    await untilCounted(rig, name, ({ started }) => started === 4);
    await until(async () => (await schedules.show(name)).underWay.length === 0);
    const { state, runs } = await schedules.show(name);
    expect(state).toBe('paused');
    expect(runs).toMatchObject([{ number: 1, state: by === 'a failure' ? 'incomplete' : 'completed' }]);
    expect(await resultOf(`${scheduledRunWorkflowId(rig.store.id, name)}-${SECOND}`)).toMatchObject({
      state: 'halted',
    });

    // The remaining times are requested again.
    await expect(schedules.backfill(name, { from: FIRST, to: FOURTH })).rejects.toThrow(
      'is paused, and begins nothing',
    );
    await schedules.resume(name);
    expect(await schedules.backfill(name, { from: FIRST, to: FOURTH })).toEqual({ due: 4, had: 1 });
    await untilEnded(rig.store, name, 4);
    expect(rig.sandbox.tasks()).toHaveLength(tasks + (by === 'a failure' ? 3 : 4));
  });

  it('is made from its schedule at the time it begins, and does not begin if the schedule is deleted', async () => {
    const { client } = rig.temporal;
    await schedules.create('changed', { ...SELDOM, template: await template() });
    const { action } = await client.schedule.getHandle(scheduleId(rig.store.id, 'changed')).describe();
    await schedules.update('changed', { template: await template(PICTURE_FILE.replace('lighthouse', 'harbour')) });
    // As Temporal's schedule starts them, with the input from before the change.
    const begin = (time: string) =>
      client.workflow.execute('scheduledRun', {
        workflowId: `begun-late-${time}`,
        taskQueue: action.taskQueue,
        args: action.args ?? [],
        typedSearchAttributes: [{ key: SCHEDULED_AT, value: new Date(time) }],
      });
    expect(await begin(FIRST)).toMatchObject({ state: 'completed' });
    expect(rig.sandbox.tasks().at(-1)?.parameters['prompt']).toContain('the harbour at');
    await schedules.delete('changed');
    expect(await begin(SECOND)).toEqual({ productionId: 'changed-20200208T000000Z', state: 'halted' });
    expect(await runsOf(rig.store, 'changed')).toHaveLength(1);
  });

  it('continues after a failure if its rules say so', async () => {
    const broken =
      '{ models: { no-such-model: { output: image } }, shots: [{ id: a, model: no-such-model, prompt: x }] }';
    await schedules.create('careless', { ...SELDOM, pauseOnFailure: false, template: await template(broken) });
    await schedules.backfill('careless', { from: FIRST, to: SECOND });
    await untilEnded(rig.store, 'careless', 2);
    expect((await schedules.show('careless')).state).toBe('active');
  });

  it('drains when it is cancelled: what is paid for is collected, and nothing more is sent', async () => {
    const before = rig.sandbox.tasks().length;
    hearNoEnd();
    const chain = `{ shots: [
      { id: a, model: beta-video, duration: 4, prompt: x },
      { id: b, model: beta-video, duration: 4, prompt: y, startFrame: { lastFrameOf: a } } ] }`;
    await schedules.create('drained', { ...SELDOM, template: await template(chain) });
    await schedules.backfill('drained', { from: FIRST, to: FIRST });
    await until(() => rig.sandbox.tasks().length > before);
    const id = `${scheduledRunWorkflowId(rig.store.id, 'drained')}-${FIRST}`;
    await rig.temporal.client.workflow.getHandle(id).cancel();
    const draining = rig.temporal.client.workflow.getHandle(
      productionWorkflowId(rig.store.id, 'drained-20200109T000000Z'),
    );
    await until(async () => {
      const { events } = await draining.fetchHistory();
      return events?.some(({ workflowExecutionCancelRequestedEventAttributes: cancelled }) => cancelled != null);
    });
    rig.sandbox.faults.clear();
    expect(await resultOf(id)).toEqual({ productionId: 'drained-20200109T000000Z', state: 'cancelled' });
    const [take] = await rig.store.ledger.takes('drained-20200109T000000Z', 'a');
    expect(take?.output).toBeDefined();
    expect(rig.sandbox.tasks()).toHaveLength(before + 1);
    expect(await endedRuns(rig.store, 'drained')).toHaveLength(1);
  });

  it('does not take the id of a person’s production', async () => {
    await rig.render(film('mine-20200109T000000Z', [betaShot('a')]), { assemble: false });
    await schedules.create('mine', { ...SELDOM, template: await template() });
    await schedules.backfill('mine', { from: FIRST, to: FIRST });
    await until(async () => (await schedules.show('mine')).state === 'paused');
    await expect(resultOf(`${scheduledRunWorkflowId(rig.store.id, 'mine')}-${FIRST}`)).rejects.toMatchObject({
      cause: { cause: { type: 'RunRefused' } },
    });
  });

  it('blocks a new schedule with its name while it is under way', async () => {
    hearNoEnd();
    const tasks = rig.sandbox.tasks().length;
    const made = { ...SELDOM, template: await template() };
    await schedules.create('left', made);
    await schedules.backfill('left', { from: FIRST, to: FIRST });
    await until(() => rig.sandbox.tasks().length > tasks);
    await schedules.delete('left');
    await expect(schedules.create('left', made)).rejects.toThrow('`dailies cancel left-20200109T000000Z`');
    rig.sandbox.faults.clear();
    await resultOf(`${scheduledRunWorkflowId(rig.store.id, 'left')}-${FIRST}`);
    expect(await schedules.create('left', made)).toMatchObject({ state: 'active' });
  });

  it('of a schedule that was deleted and created again stays as it was', async () => {
    await schedules.create('anew', { ...SELDOM, template: await template() });
    await schedules.backfill('anew', { from: FIRST, to: FIRST });
    await untilEnded(rig.store, 'anew', 1);
    // Its end is recorded before its workflow ends, and a schedule of its name waits for the workflow.
    await resultOf(`${scheduledRunWorkflowId(rig.store.id, 'anew')}-${FIRST}`);
    await schedules.delete('anew');
    await expect(schedules.show('anew')).rejects.toThrow('no schedule "anew" is known here');
    const tasks = rig.sandbox.tasks().length;
    await schedules.create('anew', {
      ...SELDOM,
      template: await template('{ shots: [{ id: b, model: beta-video, prompt: x }] }'),
    });
    expect(await schedules.backfill('anew', { from: FIRST, to: FIRST })).toEqual({ due: 1, had: 1 });
    await untilCounted(rig, 'anew', ({ started }) => started === 1);
    await resultOf(`${scheduledRunWorkflowId(rig.store.id, 'anew')}-${FIRST}`);
    expect(rig.sandbox.tasks()).toHaveLength(tasks);
  });

  async function sendings(productionId: string): Promise<number> {
    const takes = await rig.store.ledger.takes(productionId, 'a');
    return takes.flatMap((take) => take.sendings).length;
  }

  it('that is triggered by hand is a new run each time, and its id is known at once', async () => {
    await schedules.create('manual', { ...SELDOM, template: await template() });
    const ids = [await schedules.trigger('manual'), await schedules.trigger('manual')];
    expect(ids[0]).toMatch(/^manual-hand-\d{8}T\d{6}Z$/);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) {
      expect(await resultOf(triggeredRunWorkflowId(rig.store.id, id))).toEqual({
        productionId: id,
        state: 'completed',
      });
    }
    expect((await schedules.show('manual')).counts).toMatchObject({ started: 0, skipped: 0 });
    expect(await runsOf(rig.store, 'manual')).toHaveLength(2);
  });
});
