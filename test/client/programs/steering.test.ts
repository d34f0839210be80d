import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDailies, type Dailies, InvalidInput, Refused } from '../../../client';
import { temporaryFolder } from '../../support/temporary-folder';
import { createSteering } from '../../../client/programs/steering';
import { newStore } from '../../books/store-with-takes';
import { film as frozenFilm, pictureShot, type Rig, startRig } from '../../support/rig';

const film = (prompt: string, more = ''): string => `id: film
${more}shots:
  - { id: a, model: beta-2.5, prompt: first light, duration: 4, resolution: 480p, review: true }
  - { id: b, model: beta-2.5, prompt: ${prompt}, duration: 4, resolution: 480p, startFrame: { lastFrameOf: a } }
`;

describe("a program's calls about a running production", () => {
  let rig: Rig;
  let dailies: Dailies;
  let file: string;

  beforeAll(async () => {
    rig = await startRig();
    dailies = await connectDailies({
      ...{ address: rig.server.address, account: 'sandbox', storeFolder: rig.store.folder },
      ...{ fileValues: 'auto', dataUriMaxBytes: 20_000_000 },
    });
    file = join(await temporaryFolder(), 'film.yaml');
  });

  afterAll(async () => {
    await dailies.close();
    await rig.close();
  });

  it('edit it exactly as planned, pause it, resume it, set its budget, and free what it leaves', async () => {
    await writeFile(file, film('noon', 'budget: { credits: 1000 }\n'));
    expect(await dailies.renderProduction(file)).toMatchObject({ state: 'running', waits: true });

    await writeFile(file, film('dusk', 'budget: { credits: 1000 }\n'));
    const seen = await dailies.planEdit('film', file);
    expect(seen.follows.shots).toMatchObject([{ shot: 'a' }, { shot: 'b', newTakes: 1 }]);
    // The caller carries out the plan later, after a round trip through JSON.
    const kept = JSON.parse(JSON.stringify(seen)) as typeof seen;
    await writeFile(file, film('night', 'budget: { credits: 1000 }\n'));
    await expect(dailies.edit('film', file, kept)).rejects.toThrow(/is not what was planned/);
    await writeFile(file, film('dusk', 'budget: { credits: 1000 }\n'));
    const dear = { ...kept, follows: { ...kept.follows, quote: { ...kept.follows.quote, credits: 0, unknown: 0 } } };
    await expect(dailies.edit('film', file, dear)).rejects.toThrow(Refused);
    expect(await dailies.edit('film', file, kept)).toMatchObject({ revised: true });
    await expect(dailies.planEdit('film', file)).rejects.toThrow(/follows this file already/);

    await dailies.pause('film', { reason: 'the client calls' });
    await expect(dailies.pause('film')).rejects.toThrow(/is paused already/);
    expect(await dailies.status('film')).toMatchObject({
      reason: expect.stringContaining('the client calls') as string,
    });
    await dailies.resume('film');
    await expect(dailies.resume('film')).rejects.toThrow(/is not paused/);

    expect(await dailies.budget('film')).toMatchObject({ credits: 1000 });
    expect(await dailies.budget('film', 500)).toMatchObject({ credits: 500 });
    expect((await dailies.status('film')).budget).toMatchObject({ credits: 500 });
    await expect(dailies.budget('film', -1)).rejects.toThrow(InvalidInput);
    await expect(dailies.budget('no-film')).rejects.toThrow(Refused);
    await expect(dailies.resolveAll('no-film', 'unclear', { kind: 'skip' })).rejects.toThrow(/no-film.*is known here/);
    expect(await dailies.resolveAll('film', 'unclear', { kind: 'skip' })).toMatchObject({ decided: 0 });

    await dailies.approve('film', 'a');
    const ended = await dailies.waitFor('film');
    expect(ended.state).toBe('completed');
    expect(ended.shots[1]).toMatchObject({ id: 'b' });
    await dailies.retake('film', 'b', { prompt: 'storm' });
    await dailies.waitFor('film');
    const unused = await dailies.planPrune();
    expect(unused.productions).toMatchObject([{ production: 'film', takes: [{ shot: 'b', take: 1 }] }]);
    expect(await dailies.prune(unused)).toMatchObject({ takes: 1, isWhole: true });
    expect(await dailies.planPrune()).toMatchObject({ productions: [] });
  });

  it('begin a run of a schedule, and past runs, only as planned and at the price that was seen', async () => {
    const night = join(await temporaryFolder(), 'night.yaml');
    const view = (name: string) =>
      `shots: [{ id: ${name}, model: beta-2.5, prompt: ${name}, duration: 4, resolution: 480p }]`;
    await writeFile(night, view('quay'));
    const { schedules } = dailies;
    await schedules.create('night', night, { cron: '0 3 1 1 *', timezone: 'UTC' });
    const times = { from: '2026-01-01T03:00:00Z', to: '2026-01-01T03:00:00Z' };
    const before = rig.sandbox.tasks().length;
    const throughJson = <T>(plan: T): T => JSON.parse(JSON.stringify(plan)) as T;
    const run = throughJson(await schedules.planRun('night'));
    const past = throughJson(await schedules.planBackfill('night', times));
    expect(run.quote.credits).toBeGreaterThan(0);

    await writeFile(night, view('pier'));
    await schedules.update('night', { file: night });
    await expect(schedules.trigger('night', run)).rejects.toThrow('the run of "night" is not as planned');
    await expect(schedules.backfill('night', times, past)).rejects.toThrow('the backfill of "night" is not as planned');
    // Changed after the comparison, before the start.
    await expect(rig.client.schedules.trigger('night', run.version)).rejects.toThrow('"night" was changed meanwhile');
    await expect(rig.client.schedules.backfill('night', times, past.version)).rejects.toThrow('was changed meanwhile');
    const current = throughJson(await schedules.planRun('night'));
    const cheaper = { ...current, quote: { ...current.quote, credits: 0 } };
    await expect(schedules.trigger('night', cheaper)).rejects.toThrow(Refused);
    expect(rig.sandbox.tasks()).toHaveLength(before);

    await dailies.waitFor(await schedules.trigger('night', current));
    expect(rig.sandbox.tasks().slice(before)).toMatchObject([{ parameters: { prompt: 'pier' } }]);
    const seen = throughJson(await schedules.planBackfill('night', times));
    expect(await schedules.backfill('night', times, seen)).toEqual({ due: 1, had: 0 });
  });
});

describe('a pause of everything', () => {
  it('needs no Temporal, and is not stopped by one that cannot be paused', async () => {
    const store = await newStore();
    for (const id of ['one', 'two', 'three']) {
      const production = await store.putJson(frozenFilm(id, [pictureShot('a')]));
      await store.productions.begin(id, { renderId: id, production, account: 'sandbox', at: new Date().toISOString() });
    }
    const asked: string[] = [];
    const status = (id: string): Promise<never> => {
      asked.push(id);
      const error = id === 'one' ? new Error('a bug') : Object.assign(new Error('away'), { code: 14, details: 'away' });
      return Promise.reject(error);
    };
    const config = { account: 'sandbox' };
    const steering = createSteering({ config, store, client: { status } } as unknown as Parameters<
      typeof createSteering
    >[0]);
    const { changed, refused } = await steering.pauseAll();
    expect(changed).toEqual(['three', 'two']);
    expect(refused).toEqual([{ id: 'one', reason: 'a bug' }]);
    expect(asked).toEqual(['one', 'three']);
    expect(await steering.resumeAll(['two'])).toEqual({ changed: ['two'], refused: [] });
  });
});
