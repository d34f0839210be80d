import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { againCommand, connectDailies, type Dailies, InvalidBatch, InvalidInput } from '../../../client';
import { dailies as command } from '../../scripts/command';
import { temporaryFolder } from '../../support/temporary-folder';
import { type Rig, rigEnv, startRig } from '../../support/rig';
import { until } from '../../support/until';

const SHOT = { id: 'a', model: 'beta-2.5', prompt: 'first light', duration: 4, resolution: '480p' };

const MODELS = { 'quill-text-1': { output: 'text' } } as const;
const ROWS = ['north', 'south', 'west'].map((key) => ({ key, model: 'quill-text-1', prompt: `a sign, ${key}` }));
const SIGNS = { id: 'signs', parallel: 1, models: MODELS, generations: ROWS };

describe('a production, batch or schedule that a program gives as an object', () => {
  let rig: Rig;
  let dailies: Dailies;
  let folder: string;

  beforeAll(async () => {
    rig = await startRig();
    folder = await temporaryFolder();
    dailies = await connectDailies({
      ...{ address: rig.server.address, account: 'sandbox', storeFolder: rig.store.folder },
      ...{ fileValues: 'auto', dataUriMaxBytes: 20_000_000 },
    });
  });

  afterAll(async () => {
    await dailies.close();
    await rig.close();
  });

  it('is checked like a file, with errors at their paths', async () => {
    const shots = [SHOT, { ...SHOT, id: 'b', duration: 400, startFrame: 'no-such.png' }];
    const refused = await dailies.plan({ id: 'film', shots }, { baseDir: folder }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidInput);
    expect((refused as InvalidInput).message).toMatch(/^shots\[1\]\.duration: .*\n?shots\[1\]\.startFrame: /);
  });

  it('is rendered, and shares no name with a file', async () => {
    const review = { ...SHOT, review: true };
    expect(await dailies.renderProduction({ id: 'film', shots: [review] })).toMatchObject({ waits: true });
    expect(await againCommand(rig.store, { what: 'production', id: 'film' })).not.toContain('FILE');
    const other = { id: 'film', shots: [{ ...review, prompt: 'dusk' }] };
    await expect(dailies.renderProduction(other)).rejects.toThrow('`edit` of the client changes it to this one');
    await dailies.edit('film', other, await dailies.planEdit('film', other));
    expect(await againCommand(rig.store, { what: 'production', id: 'film' })).not.toContain('FILE');

    const file = join(folder, 'film.yaml');
    await writeFile(file, JSON.stringify(other));
    await expect(dailies.plan(file)).rejects.toThrow(/last rendered from an object that a program gave/);
    await dailies.cancel('film');
    await dailies.waitFor('film');
    await dailies.renderProduction(file, { id: 'film', wait: false });
    await expect(dailies.plan(other)).rejects.toThrow(/last rendered from \/.*film\.yaml, and this is an object/);
    // Its tasks must not meet the faults of the next test.
    await dailies.waitFor('film');
  });

  it('is a batch of three rows that comes to its results, and is gone on with without a file', async () => {
    const before = rig.sandbox.tasks().length;
    const twice = { ...SIGNS, generations: [...ROWS, ...ROWS] };
    const refused = await dailies.batch(twice).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidBatch);
    expect((refused as InvalidBatch).message).toMatch(/^generations\[3\]\.key: the key "north" is taken/);
    expect(await rig.store.batches.ids()).toEqual([]);

    rig.sandbox.faults.inject({ kind: 'task-content-policy', count: 1 });
    const first = await dailies.batch(SIGNS);
    expect(first).toMatchObject({ batch: 'signs', file: null, counts: { completed: 2, failed: 1 } });
    const again = await againCommand(rig.store, { what: 'batch', id: 'signs' });
    expect(again).toBe('dailies batch retry-failed signs --missing');
    expect(await dailies.retryFailed('signs')).toMatchObject({ counts: { completed: 3 } });
    expect(await rig.store.batches.origin('signs')).toBeNull();
    const results = [];
    for await (const { key, text } of dailies.batchResults('signs')) results.push([key, typeof text]);
    expect(results).toEqual(['north', 'south', 'west'].map((key) => [key, 'string']));
    expect(rig.sandbox.tasks().length - before).toBe(4);
    // The same rows one by one are the same batch, and cost nothing.
    const onceMore = await dailies.batch({ ...SIGNS, generations: ROWS.values() });
    expect([onceMore.run, onceMore.counts.completed, rig.sandbox.tasks().length - before]).toEqual([3, 3, 4]);
    const shown = await command(['batch', 'status', 'signs'], { folder, env: rigEnv(rig) });
    expect(shown.stdout).toMatch(/^signs: completed/);

    const file = join(folder, 'signs.yaml');
    await writeFile(file, JSON.stringify(SIGNS));
    await expect(dailies.batch(file)).rejects.toThrow(
      /"signs" was last begun from an object that a program gave, and this is \/.*signs\.yaml/,
    );
    expect(await dailies.batch(file, { id: 'signs' })).toMatchObject({ run: 4, file });
    await expect(dailies.batch(SIGNS)).rejects.toThrow(/from \/.*signs\.yaml, and this is an object/);
  });

  it('names no row of a batch as a production that was given is named', async () => {
    const shot = { id: 'a', model: 'quill-text-1', prompt: 'a sign' };
    await dailies.renderProduction({ id: 'films.one', models: MODELS, shots: [shot] });
    const rows = { id: 'films', productions: [{ id: 'one', models: MODELS, shots: [{ ...shot, prompt: 'another' }] }] };
    await expect(dailies.batch(rows)).rejects.toThrow('"films.one" is a production that was rendered from an object');
  });

  it('is frozen by a schedule, a batch and then a production, and each runs once', async () => {
    const { schedules } = dailies;
    const times = { every: '30d' };
    const wrong = { shots: [{ ...SHOT, duration: 400 }] };
    await expect(schedules.create('nightly', wrong, times)).rejects.toThrow(/^shots\[0\]\.duration: /);
    await expect(schedules.create('nightly', { generations: [{ key: 'a' }] }, times)).rejects.toThrow(InvalidBatch);
    expect(await schedules.list()).toEqual([]);

    const made = await schedules.create('nightly', { models: MODELS, generations: ROWS.values() }, times);
    expect(made.file).toMatchObject({ path: '', given: true, version: 1 });
    const batch = await schedules.trigger('nightly');
    await until(() => rig.store.batches.ended(batch, 1));
    expect(await dailies.batchStatus(batch)).toMatchObject({ rows: 3, counts: { completed: 3 }, file: null });

    const shots = [{ id: 'a', model: 'quill-text-1', prompt: 'the sign of {{date}}' }];
    const changed = await schedules.update('nightly', { file: { models: MODELS, shots } });
    expect(changed.file).toMatchObject({ given: true, version: 2 });
    const film = await schedules.trigger('nightly');
    await until(() => rig.client.status(film));
    expect(await dailies.waitFor(film)).toMatchObject({ state: 'completed' });
    const shown = await command(['schedule', 'show', 'nightly'], { folder, env: rigEnv(rig) });
    expect(shown.stdout).toMatch(/file +none, a program gave an object {2}sha256:[0-9a-f]+, version 2, frozen /);
  });
});
