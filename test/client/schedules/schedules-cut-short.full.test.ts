import { type Client, type ScheduleClient, type ScheduleHandle } from '@temporalio/client';
import { createDailiesClient, type DailiesClient } from '../../../client';
import { askTimes } from '../../../client/schedules/ask-times';
import { scheduleId } from '../../../contracts/identifiers';
import { type Rig, startRig } from '../../support/rig';
import { template } from '../../support/scheduled';

const SELDOM = { every: '30d' } as const;

/** As if the process is killed there: it requests and records nothing more. */
class Killed extends Error {}

/** The points at which the change of a schedule is interrupted, besides the request to Temporal. */
type Cut = 'before' | 'after';

describe('an interrupted command', () => {
  let rig: Rig;
  let schedules: DailiesClient['schedules'];

  beforeAll(async () => {
    rig = await startRig();
    ({ schedules } = rig.client);
  });

  afterAll(() => rig.close());

  /** The client of a process that is killed during the request to Temporal. */
  function killedAt(cut: Cut, name: string): DailiesClient['schedules'] {
    const id = scheduleId(rig.store.id, name);
    const { client } = rig.temporal;
    let isDead = false;
    const dying = async (change: () => Promise<unknown>): Promise<never> => {
      if (cut === 'after') await change();
      isDead = true;
      throw new Killed();
    };
    const schedule = Object.create(client.schedule, {
      create: {
        value: (options: Parameters<ScheduleClient['create']>[0]) => {
          const make = () => client.schedule.create(options);
          return options.scheduleId === id ? dying(make) : make();
        },
      },
      getHandle: {
        value: (of: string): ScheduleHandle => {
          const handle = client.schedule.getHandle(of);
          return {
            ...handle,
            describe: () => (isDead ? Promise.reject(new Killed()) : handle.describe()),
            update: (change) => dying(() => handle.update(change)),
          };
        },
      },
    }) as ScheduleClient;
    const temporal = Object.create(client, { schedule: { value: schedule } }) as Client;
    return createDailiesClient({ temporal, store: rig.store, account: 'sandbox' }).schedules;
  }

  it('leaves a new schedule known, whether Temporal has it or not', async () => {
    const file = await template();
    await expect(killedAt('before', 'early').create('early', { ...SELDOM, template: file })).rejects.toThrow(Killed);
    expect(await schedules.list()).toMatchObject([{ schedule: 'early', state: 'unknown' }]);
    await expect(schedules.pause('early')).rejects.toThrow('`dailies schedule create early` creates it again');
    expect(await schedules.create('early', { ...SELDOM, template: file })).toMatchObject({ state: 'active' });

    await expect(killedAt('after', 'late').create('late', { ...SELDOM, template: file })).rejects.toThrow(Killed);
    expect(await schedules.show('late')).toMatchObject({ state: 'active', file: { version: 1 } });
    await expect(schedules.create('late', { ...SELDOM, template: file })).rejects.toThrow('there is a schedule "late"');
    await schedules.pause('late');
    for (const name of ['early', 'late']) await schedules.delete(name);
    expect(await schedules.list()).toEqual([]);
    expect(await left()).toEqual([]);
  });

  it('changes a schedule as in Temporal, or not at all', async () => {
    const [first, second] = [await template(), await template('{ shots: [{ id: b, model: beta-video, prompt: x }] }')];
    const made = await schedules.create('night', { ...SELDOM, template: first });

    const change = { template: second, every: '20d' };
    await expect(killedAt('before', 'night').update('night', change)).rejects.toThrow(Killed);
    expect((await schedules.show('night')).file).toEqual(made.file);
    // An interrupted change does not come back with the next one.
    expect(await schedules.update('night', { note: 'as it was' })).toMatchObject({
      timing: { every: '30d' },
      note: 'as it was',
      file: { sha256: made.file.sha256 },
    });

    await expect(killedAt('after', 'night').update('night', change)).rejects.toThrow(Killed);
    const changed = await schedules.show('night');
    expect(changed).toMatchObject({ timing: { every: '20d' } });
    expect(changed.file.sha256).not.toBe(made.file.sha256);
    expect(await schedules.update('night', { note: 'later' })).toMatchObject({
      timing: { every: '20d' },
      file: { sha256: changed.file.sha256 },
    });
    await schedules.delete('night');
  });

  it('requests extra times, even if another command was killed while it requested them', async () => {
    const { schedule } = rig.temporal.client;
    await schedule.create({
      scheduleId: `times/${rig.store.id}/daily`,
      spec: {},
      action: { type: 'startWorkflow', workflowType: 'none', taskQueue: 'none' },
      state: { paused: true },
    });
    const timing = { cron: '0 2 * * *', jitter: '30m' };
    const made = await schedules.create('daily', { ...timing, template: await template() });
    expect(made).toMatchObject({ catchUpSeconds: 24 * 60 * 60, timing });
    await expect(schedules.update('daily', { cron: '0 0 30 2 *' })).rejects.toThrow('has no future times');
    expect(await schedules.show('daily')).toMatchObject({ timing, file: { version: 1 } });
    await schedules.delete('daily');
    expect(await left()).toEqual([]);
  });

  it('can be repaired if only Temporal knows the schedule: it is deleted by its name', async () => {
    await schedules.create('strange', { ...SELDOM, template: await template() });
    const { action } = await rig.temporal.client.schedule.getHandle(scheduleId(rig.store.id, 'strange')).describe();
    await schedules.delete('strange');
    await rig.temporal.client.schedule.create({
      scheduleId: scheduleId(rig.store.id, 'strange'),
      spec: { intervals: [{ every: '30d' }] },
      action: { ...action, retry: {} },
    });
    const again = { ...SELDOM, template: await template() };
    await expect(schedules.create('strange', again)).rejects.toThrow('`dailies schedule delete strange` ends it');
    const other = createDailiesClient({ temporal: rig.temporal.client, store: rig.store, account: 'another' });
    await expect(other.schedules.delete('strange')).rejects.toThrow('renders for the account sandbox');
    await schedules.delete('strange');
    expect(await left()).toEqual([]);
    await expect(schedules.delete('strange')).rejects.toThrow('no schedule "strange" is known here');
  });

  it('is refused if another command asks for times of the same schedule meanwhile', async () => {
    const of = { storeId: rig.store.id, name: 'both' };
    const monthly = { ...of, spec: { intervals: [{ every: '30d' as const }] } };
    const daily = { ...of, spec: { intervals: [{ every: '1d' as const }] } };
    const { client } = rig.temporal;
    let endFirst = (): void => undefined;
    const firstHasEnded = new Promise<void>((resolve) => (endFirst = resolve));
    let second: Promise<number> | undefined;
    const first = askTimes(client, monthly, async () => {
      await new Promise<void>((begun) => {
        second = askTimes(client, daily, async (handle) => {
          begun();
          await firstHasEnded;
          return (await handle.describe()).info.nextActionTimes.length;
        });
      });
    });
    await expect(first).rejects.toThrow('another command asks for the times of the schedule "both"');
    endFirst();
    expect(await second).toBeGreaterThan(1);
    expect(await left()).toEqual([]);
  });

  /** Schedules that Temporal has. */
  async function left(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const name of ['early', 'late', 'night', 'daily', 'strange', 'both']) {
      for (const id of [scheduleId(rig.store.id, name), `times/${rig.store.id}/${name}`]) {
        const there = await rig.temporal.client.schedule
          .getHandle(id)
          .describe()
          .then(
            () => true,
            () => false,
          );
        if (there) ids.push(id);
      }
    }
    return ids;
  }
});
