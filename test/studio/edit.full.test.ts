import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Dailies, dailiesOver } from '../../client/programs/dailies';
import { type Rig, startRig } from '../support/rig';
import { openStudioApp, type StudioApp } from '../support/studio-app';
import { temporaryFolder } from '../support/temporary-folder';

const film = (prompt: string): string => `models:
  pixel-image-1: { output: image }
shots:
  - { id: a, model: pixel-image-1, prompt: ${prompt}, review: true }
`;

describe('the file of a production that has ended', () => {
  let rig: Rig;
  let dailies: Dailies;
  let file: string;
  let studio: StudioApp;

  beforeAll(async () => {
    rig = await startRig();
    const { temporal, store } = rig;
    const config = { account: 'sandbox', storeFolder: store.folder, fileValues: 'auto', dataUriMaxBytes: 2e7 } as const;
    dailies = dailiesOver({ temporal, store, config });
    const folder = await temporaryFolder();
    file = join(folder, 'film.yaml');
    studio = await openStudioApp(rig, folder);
  });
  afterAll(() => rig.close());
  afterEach(() => {
    expect(studio.errors).toEqual([]);
  });

  const accepted = (): number => rig.sandbox.tasks().length;

  it('is saved and rendered again by one yes to its plan, and settled on the page', async () => {
    const path = '/productions/ended/edit';
    writeFileSync(file, film('noon'));
    expect(await dailies.renderProduction(file, { id: 'ended' })).toMatchObject({ waits: true });
    await dailies.cancel('ended');
    await rig.client.ended('ended');
    const shown = await studio.get('/productions/ended');
    for (const words of ['Settlement', 'Charged by this render', 'a, take 1', 'Render again']) {
      expect(shown.body).toContain(words);
    }
    const before = accepted();
    const plan = await studio.submit(await studio.get(path), path, { text: film('storm') }, 'check');
    expect(plan.body).toContain('Save and render');
    // The typed text was changed after the plan was shown.
    const other = await studio.submit(plan, path, { text: film('snow') }, 'yes');
    expect(other).toMatchObject({ status: 409, body: expect.stringContaining('snow') as string });
    expect(readFileSync(file, 'utf8')).toBe(film('noon'));
    expect((await studio.submit(other, path, {}, 'yes')).to).toMatch(/^\/productions\/ended\?/);
    await dailies.waitFor('ended');
    expect(accepted() - before).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(film('snow'));
    await dailies.cancel('ended');
    await rig.client.ended('ended');

    const again = await studio.submit(await studio.get('/productions/ended'), '/productions/ended/render');
    expect(again.body).toContain('Render what is left');
    writeFileSync(file, film('hail'));
    const stale = await studio.submit(again, '/productions/ended/render');
    expect(stale).toMatchObject({ status: 409, body: expect.stringContaining('hail') as string });
    expect((await studio.submit(stale, '/productions/ended/render')).to).toMatch(/^\/productions\/ended\?/);
    await dailies.waitFor('ended');
    expect(accepted() - before).toBe(2);
  });

  it('is shown with the shots whose request a retake has changed', async () => {
    writeFileSync(file, film('dusk'));
    await dailies.renderProduction(file, { id: 'directed' });
    expect((await studio.get('/productions/directed/edit')).body).not.toContain('These shots were directed');
    await dailies.retake('directed', 'a', { prompt: 'night' });
    await dailies.waitFor('directed');
    const { body } = await studio.get('/productions/directed/edit');
    expect(body).toContain('may differ from the file: a.');
    await dailies.pause('directed');
    expect((await studio.get('/productions/directed/edit')).body).toContain('The film is paused.');
    await dailies.cancel('directed');
  });
});
