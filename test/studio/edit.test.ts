import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
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

describe('the file of a production', () => {
  let rig: Rig;
  let dailies: Dailies;
  let parent: string;
  let folder: string;
  let file: string;
  let studio: StudioApp;

  beforeAll(async () => {
    rig = await startRig();
    const { temporal, store } = rig;
    const config = { account: 'sandbox', storeFolder: store.folder, fileValues: 'auto', dataUriMaxBytes: 2e7 } as const;
    dailies = dailiesOver({ temporal, store, config });
    parent = await temporaryFolder();
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(parent, 'w-'));
    file = join(folder, 'film.yaml');
    studio = await openStudioApp(rig, folder);
  });
  afterEach(() => {
    expect(studio.errors).toEqual([]);
  });

  /** Renders the file until its shot is to be approved. */
  async function begun(id: string, text = film('noon')): Promise<{ readonly path: string }> {
    writeFileSync(file, text);
    expect(await dailies.renderProduction(file, { id })).toMatchObject({ waits: true });
    return { path: `/productions/${id}/edit` };
  }
  const accepted = (): number => rig.sandbox.tasks().length;

  it('is edited while it runs: findings first, then the plan, and one yes that saves it and is followed', async () => {
    const { path } = await begun('runs');
    chmodSync(file, 0o640);
    const page = await studio.get(path);
    expect(page.body).toContain(film('noon').split('\n')[3]?.replaceAll("'", '&#39;'));
    const wrong = await studio.submit(page, path, { text: film('dusk').replace('a, model', 'a, modell') }, 'check');
    expect(wrong).toMatchObject({ status: 422, body: expect.stringContaining('href="#line-4"') as string });
    expect(wrong.body).toContain('dusk');
    const plan = await studio.submit(wrong, path, { text: film('dusk') }, 'check');
    expect(plan.body).toContain('Save, and let the film follow');
    expect(readFileSync(file, 'utf8')).toBe(film('noon'));
    const before = accepted();
    const [one, two] = await Promise.all([studio.submit(plan, path, {}, 'yes'), studio.submit(plan, path, {}, 'yes')]);
    expect(one.to).toMatch(/^\/productions\/runs\?done=/);
    expect(two.to).toBe(one.to);
    expect(readFileSync(file, 'utf8')).toBe(film('dusk'));
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['film.yaml']);
    await dailies.waitFor('runs');
    expect(accepted() - before).toBe(1);
    await dailies.cancel('runs');
    await rig.client.ended('runs');
  });

  it('that was changed elsewhere is not overwritten, and both texts are shown', async () => {
    const { path } = await begun('elsewhere');
    const plan = await studio.submit(await studio.get(path), path, { text: film('mine') }, 'check');
    writeFileSync(file, film('theirs'));
    const refused = await studio.submit(plan, path, {}, 'yes');
    expect(refused.status).toBe(409);
    expect(refused.body).toContain('prompt: mine');
    expect(refused.body).toContain('prompt: theirs');
    expect(readFileSync(file, 'utf8')).toBe(film('theirs'));
  });

  it('that was saved before Temporal failed to answer says so', async () => {
    const { path } = await begun('unanswered');
    const plan = await studio.submit(await studio.get(path), path, { text: film('dusk') }, 'check');
    const change = jest.spyOn(studio.dailies, 'edit').mockRejectedValueOnce(new Error('Failed to connect'));
    const { status, body } = await studio.submit(plan, path, {}, 'yes');
    change.mockRestore();
    expect({ status, saved: body.includes(`The file is saved as ${file}`) }).toEqual({ status: 500, saved: true });
    expect(readFileSync(file, 'utf8')).toBe(film('dusk'));
    expect(studio.errors.splice(0)).toHaveLength(1);
  });

  it('keeps its line breaks, and a link to it stays one', async () => {
    const target = join(folder, 'target.yaml');
    writeFileSync(target, film('noon').replaceAll('\n', '\r\n'));
    symlinkSync(target, file);
    expect(await dailies.renderProduction(file, { id: 'breaks' })).toMatchObject({ waits: true });
    const path = '/productions/breaks/edit';
    const same = await studio.submit(await studio.get(path), path, {}, 'check');
    expect(same.body).toContain('nothing to change');
    const comment = await studio.submit(same, path, { text: `# mine\n${film('noon')}` }, 'check');
    expect(comment.body).toContain('Save the file alone');
    expect((await studio.submit(comment, path, {}, 'save')).to).toMatch(/^\/productions\/breaks/);
    expect(readFileSync(target, 'utf8')).toBe(`# mine\n${film('noon')}`.replaceAll('\n', '\r\n'));
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(target, 'utf8'));
  });

  it('is none where a program gave the production, or where there is none', async () => {
    const shots = [{ id: 'a', model: 'pixel-image-1', prompt: 'noon' }];
    await dailies.renderProduction({ id: 'given', models: { 'pixel-image-1': { output: 'image' } }, shots });
    const { status, body } = await studio.get('/productions/given/edit');
    expect(status).toBe(409);
    expect(body).toContain('A program gave this production');
    for (const id of ['no-such', '..%2F..%2Fetc', '%00']) {
      expect([404, 409]).toContain((await studio.get(`/productions/${id}/edit`)).status);
    }
  });
});
