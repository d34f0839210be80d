import { readFile } from 'node:fs/promises';
import { type AssetRef } from '../../contracts/asset';
import { type BatchPage } from '../../contracts/render/batch-page';
import { readBatchIndex, readBatchPage } from '../../store';
import { runsOf, template } from '../support/scheduled';
import { until } from '../support/until';
import { FIRST, SECOND, SELDOM, MODELS, SHEET, rig, prompts, ended } from './scheduled-rows';

describe('a schedule of batches', () => {
  it('is not blocked by rows that wait for people, and pauses if rows fail; those are retried by hand', async () => {
    const { schedules, batches } = rig.client;
    await schedules.create('mixed', { ...SELDOM, template: await template(JSON.stringify({ ...SHEET, parallel: 1 })) });
    rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
    await schedules.backfill('mixed', { from: FIRST, to: FIRST });
    await until(async () => (await schedules.show('mixed')).runs[0]?.state === 'waiting');
    await until(async () => (await schedules.show('mixed')).underWay.length === 0);
    expect((await schedules.show('mixed')).state).toBe('active');

    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    await schedules.backfill('mixed', { from: SECOND, to: SECOND });
    await until(async () => (await schedules.show('mixed')).state === 'paused');
    const id = 'mixed-20200107T000000Z';
    expect(await ended(id)).toMatchObject({ state: 'incomplete', counts: { completed: 1, failed: 1 } });
    await batches.retryFailed(id);
    await until(async () => (await batches.report(id))?.counts.completed === 2);
  });

  it('fills in the productions among its rows, under their own ids', async () => {
    const clip = {
      models: MODELS,
      shots: [{ id: 's', model: 'quill-text-1', prompt: '{{name}}, {{weekday}}' }],
      id: '{{name}}',
    };
    const films = JSON.stringify({ production: clip, rows: [{ name: 'a' }] });
    await rig.client.schedules.create('films', { ...SELDOM, template: await template(films) });
    await rig.client.schedules.backfill('films', { from: FIRST, to: FIRST });
    await ended('films-20200106T000000Z');
    expect(await rig.client.status('films-20200106T000000Z.a')).toMatchObject({ state: 'completed' });
    expect(prompts()).toContain('a, Monday');
    expect(await runsOf(rig.store, 'films')).toMatchObject([{ kind: 'batch', number: 1 }]);
  });

  it('computes readyBy from the scheduled time, and fills in the fallback too', async () => {
    const clip = { model: 'beta-video', prompt: '{{name}} on {{date}}', duration: 5, resolution: '480p' };
    const time = { readyBy: '08:00 Europe/Berlin', fallback: { duration: 4 } };
    const rows = [{ name: 'pier' }];
    const tasks = { ...time, generation: { key: '{{name}}', ...clip }, rows };
    const films = { ...time, production: { id: '{{name}}', shots: [{ id: 's', ...clip }] }, rows };
    for (const [name, file] of [['tasks', tasks] as const, ['ready', films] as const]) {
      await rig.client.schedules.create(name, { ...SELDOM, template: await template(JSON.stringify(file)) });
      await rig.client.schedules.backfill(name, { from: FIRST, to: FIRST });
    }
    const at = '2020-01-06T07:00:00.000Z';
    const { batches } = rig.store;
    // The time is long past, so the rows are rendered as written.
    for (const id of ['tasks-20200106T000000Z', 'ready-20200106T000000Z']) {
      expect(await ended(id)).toMatchObject({ state: 'completed', readyBy: { at, fallback: 0 } });
    }
    const pageOf = async (id: string): Promise<BatchPage> => {
      const { pages } = await readBatchIndex(rig.store.assets, (await batches.begun(id))!.index);
      return readBatchPage(rig.store.assets, pages[0]!);
    };
    const filled = { id: 'pier', parameters: { prompt: 'pier on 2020-01-06', duration: 4 } };
    const { lowered } = await pageOf('tasks-20200106T000000Z');
    expect(await readJson(lowered!)).toMatchObject({ id: 'tasks-20200106T000000Z', shots: [filled] });
    const [film] = (await pageOf('ready-20200106T000000Z')).rows;
    if (film?.kind !== 'production') throw new Error('the row is a production');
    expect(film.plan.readyBy?.at).toBe(at);
    expect(await readJson(film.plan.readyBy!.fallback!)).toMatchObject({ shots: [{ shot: { ...filled, id: 's' } }] });
    expect(await readJson(film.basis.plan)).not.toHaveProperty('readyBy.at');
  });
  const readJson = async (asset: AssetRef): Promise<unknown> =>
    JSON.parse(await readFile(rig.store.assets.shownPath(asset), 'utf8'));
});
