import { batchEnded } from '../support/batches';
import { template } from '../support/scheduled';
import { until } from '../support/until';
import { FIRST, SECOND, SELDOM, SHEET, rig, receiver, prompts, ended } from './scheduled-rows';

describe('a schedule of batches', () => {
  it('fills columns and the time into its rows, renders each time once however often it starts, and reports the end', async () => {
    const { schedules } = rig.client;
    const sheet = JSON.stringify({ ...SHEET, priority: 'normal', notify: { url: receiver.url } });
    await schedules.create('signs', { ...SELDOM, template: await template(sheet) });
    const times = { from: FIRST, to: SECOND };
    expect(await schedules.backfill('signs', times)).toEqual({ due: 2, had: 0 });
    await Promise.all(['signs-20200106T000000Z', 'signs-20200107T000000Z'].map(ended));
    const wanted = [
      'north on 2020-01-06, no. 1',
      'south on 2020-01-06, no. 1',
      'north on 2020-01-07, no. 2',
      'south on 2020-01-07, no. 2',
    ];
    expect(prompts().toSorted()).toEqual(wanted.toSorted());
    const report = await batchEnded(rig, 'signs-20200107T000000Z');
    expect(report).toMatchObject({ title: 'Signs of 2020-01-07', state: 'completed', counts: { completed: 2 } });
    await until(() => receiver.toldOfBatch('signs-20200107T000000Z').length > 0);

    expect(await schedules.backfill('signs', times)).toEqual({ due: 2, had: 2 });
    await until(async () => {
      const { counts, underWay } = await schedules.show('signs');
      return counts?.started === 4 && underWay.length === 0;
    });
    await schedules.delete('signs');
    await schedules.create('signs', { ...SELDOM, template: await template(sheet.replace('south', 'west')) });
    await schedules.backfill('signs', times);
    await until(async () => (await schedules.show('signs')).counts?.started === 2);
    expect(prompts()).toHaveLength(4);
    const { runs } = await schedules.show('signs');
    expect(runs.map(({ number, state }) => [number, state])).toEqual([
      [2, 'completed'],
      [1, 'completed'],
    ]);
    await expect(schedules.again('signs', 'signs-20200106T000000Z')).rejects.toThrow('dailies batch retry-failed');
  });

  it.each([
    ['an unknown name', { ...SHEET.generation, prompt: '{{nam}}' }, 'the row has no "nam"'],
    ['a variable in a key', { ...SHEET.generation, key: '{{date}}{{name}}' }, 'the key is'],
    [
      'a variable in a model',
      { ...SHEET.generation, model: '{{schedule}}' },
      'because this value is read when the schedule is made',
    ],
  ])('is refused with %s', async (_what, generation, words) => {
    await expect(template(JSON.stringify({ ...SHEET, generation }))).rejects.toThrow(words);
  });
});
