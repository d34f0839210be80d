import { type HookReceiver, NOTIFY_SECRET, startReceiver } from '../support/hook-receiver';
import { type Rig, startRig } from '../support/rig';
import { template } from '../support/scheduled';
import { until } from '../support/until';
import { secret } from '../../workers/config/secret';

export const FIRST = '2020-01-06T00:00:00Z';

export const SECOND = '2020-01-07T00:00:00Z';

/** So rare that only runs that a test requests happen. */
export const SELDOM = { cron: '0 0 6,7 1 *', timezone: 'UTC' };

export const MODELS = { 'quill-text-1': { output: 'text', quick: false } };

/** Columns are filled in when the schedule is created, the time by each run. */
export const SHEET = {
  title: 'Signs of {{date}}',
  models: MODELS,
  generation: { key: '{{name}}', model: 'quill-text-1', prompt: '{{name}} on {{date}}, no. {{runNumber}}' },
  rows: [{ name: 'north' }, { name: 'south' }],
};

/** Schedules of batches. Each test file that imports this module starts its own rig. */
export let rig: Rig;

export let receiver: HookReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
  const policy = { allowedPrivateHosts: [new URL(receiver.url).host], totalMs: 2_000 };
  rig = await startRig({}, { notify: { secrets: [secret(NOTIFY_SECRET)], policy } });
  await rig.client.schedules.create('warm', { ...SELDOM, template: await template() });
  await rig.client.schedules.delete('warm');
});

afterEach(() => rig.sandbox.faults.clear());

afterAll(async () => {
  await rig.close();
  await receiver.close();
});

export const prompts = () => rig.sandbox.tasks().map(({ parameters }) => String(parameters['prompt']));

export const ended = (id: string) =>
  until(async () => {
    const run = (await rig.store.batches.begun(id))?.run ?? 0;
    return run > 0 && rig.store.batches.ended(id, run);
  });
