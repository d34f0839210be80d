import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidInput } from '../../client/programs/invalid-input';
import { Refused } from '../../client/wording/refused';
import { loadProduction } from '../../client/production-file';
import { copyExample, examples } from '../../studio/files/examples';
import { policy } from '../production-file/production-fixtures';
import { type Rig, startRig } from '../support/rig';
import { openStudioApp, type StudioApp } from '../support/studio-app';
import { temporaryFolder } from '../support/temporary-folder';

const FILM = `models:
  pixel-image-1: { output: image }
shots:
  - { id: a, model: pixel-image-1, prompt: 'a <b>lighthouse</b> & "sea"' }
`;

describe('a new production', () => {
  let rig: Rig;
  let folder: string;
  let studio: StudioApp;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    folder = await temporaryFolder();
    studio = await openStudioApp(rig, folder);
  });
  afterEach(() => {
    expect(studio.errors).toEqual([]);
  });

  const own = async (fields: Readonly<Record<string, string>>): ReturnType<StudioApp['submit']> =>
    studio.submit(await studio.get('/new'), '/new/own', fields, 'check');
  const accepted = (): number => rig.sandbox.tasks().length;

  it('is offered from the examples and the productions of the folder', async () => {
    mkdirSync(join(folder, 'productions'));
    writeFileSync(join(folder, 'productions', 'film.yaml'), FILM);
    writeFileSync(join(folder, 'rows.yaml'), 'generations: []\n');
    writeFileSync(join(folder, 'broken.yaml'), 'a: [\n');
    const { body } = await studio.get('/new');
    for (const title of ['First Light', 'The Keeper&#39;s Last Night', 'productions/film.yaml', '1 shot']) {
      expect(body).toContain(title);
    }
    expect(body).not.toContain('rows.yaml');
    expect(body).not.toContain('broken.yaml');
  });

  it('is rendered once, though its yes comes twice and again with a second form', async () => {
    const plan = await own({ name: 'film.yaml', text: FILM });
    expect(plan.status).toBe(200);
    expect(plan.body).toContain('to render, price unknown');
    expect(plan.body).not.toContain('dailies render');
    expect(existsSync(join(folder, 'film.yaml'))).toBe(false);
    const other = await own({ name: 'film.yaml', text: FILM });
    const before = accepted();
    const [first, second] = await Promise.all([
      studio.submit(plan, '/new/own', {}, 'yes'),
      studio.submit(plan, '/new/own', {}, 'yes'),
    ]);
    expect(first.to).toMatch(/^\/productions\/film\?done=/);
    expect(second.to).toBe(first.to);
    expect((await studio.submit(other, '/new/own', {}, 'yes')).to).toMatch(/^\/productions\/film\?done=/);
    await rig.client.ended('film');
    expect(accepted() - before).toBe(1);
    expect(readFileSync(join(folder, 'film.yaml'), 'utf8')).toBe(FILM);
    // As any new file, by the umask.
    writeFileSync(join(folder, 'other'), '');
    expect(statSync(join(folder, 'film.yaml')).mode).toBe(statSync(join(folder, 'other')).mode);
  });

  it.each([
    '../film.yaml',
    '/tmp/film.yaml',
    '.film.yaml',
    'a/b.yaml',
    'film.yaml\0',
    'film.yml',
    'film',
    '',
    '..\\f.yaml',
  ])('is not written as %j', async (name) => {
    const refused = await own({ name, text: FILM });
    expect(refused.status).toBe(409);
    // What was typed stays.
    expect(refused.body).toContain('pixel-image-1, prompt');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('overwrites no file', async () => {
    writeFileSync(join(folder, 'mine.yaml'), 'mine\n');
    const plan = await own({ name: 'mine.yaml', text: FILM });
    const refused = await studio.submit(plan, '/new/own', {}, 'yes');
    expect(refused).toMatchObject({ status: 409, body: expect.stringContaining('exists already') as string });
    expect(readFileSync(join(folder, 'mine.yaml'), 'utf8')).toBe('mine\n');
    expect(await rig.client.status('mine')).toBeUndefined();
  });

  it('shows every finding at its line, and keeps a text of 2 MB', async () => {
    const text = `${FILM.replace('a, model', 'a, modell')}# ${'x'.repeat(2_000_000)}\n`;
    const { status, body } = await own({ name: 'film.yaml', text });
    expect(status).toBe(422);
    expect(body).toContain('href="#line-4"');
    expect(body).toContain('<b id="line-4">4</b>');
    expect(body.length).toBeGreaterThan(2_000_000);
    expect(body).toContain('&lt;b&gt;lighthouse');
  });

  it('of a file that has changed between plan and yes is shown anew', async () => {
    writeFileSync(join(folder, 'later.yaml'), FILM);
    const plan = await studio.submit(await studio.get('/new'), '/new/file', { name: 'later.yaml' });
    expect(plan.body).toContain('dailies render');
    writeFileSync(join(folder, 'later.yaml'), FILM.replace('lighthouse', 'harbour'));
    const anew = await studio.submit(plan, '/new/file', {}, 'yes');
    expect(anew.status).toBe(409);
    expect(anew.body).toContain('has changed since you looked');
    expect(anew.body).toContain('harbour');
    expect(await rig.client.status('later')).toBeUndefined();
    expect((await studio.submit(anew, '/new/file', {}, 'yes')).to).toMatch(/^\/productions\/later/);
    await rig.client.ended('later');
  });

  it.each(['../later.yaml', '/etc/passwd', 'nothing.yaml', 'productions/../../x.yaml'])(
    'is not read from %j',
    async (name) => {
      const page = await studio.get('/new');
      writeFileSync(join(folder, 'one.yaml'), FILM);
      const form = await studio.submit(page, '/new/example', { name });
      expect(form.status).toBe(409);
      const file = await studio.submit(await studio.get('/new'), '/new/file', { name });
      expect(file).toMatchObject({ status: 409, body: expect.stringContaining('There is no file') as string });
    },
  );

  it('of an example is of files that are whole, with all that they name, and overwrites none', async () => {
    const all = await examples();
    expect(all.map(({ name }) => name).toSorted()).toEqual(
      readdirSync('productions').filter((name) => name.endsWith('.yaml')),
    );
    for (const example of all) {
      const file = await copyExample(example, folder);
      expect(await loadProduction(file, policy)).toMatchObject({ ok: true });
      expect(await copyExample(example, folder)).toBe(file);
    }
    const [first] = all;
    if (first === undefined) throw new Error('there are examples');
    writeFileSync(join(folder, first.name), 'mine\n');
    await expect(copyExample(first, folder)).rejects.toThrow('exists already');
  });

  it('of an example says where its copy will be, and writes nothing if a file of it is in the way', async () => {
    const plan = await studio.submit(await studio.get('/new'), '/new/example', { name: 'poster.yaml' });
    expect(plan.body).toContain(`If you agree, the example is copied to ${join(folder, 'poster.yaml')}`);
    mkdirSync(join(folder, 'poster'));
    writeFileSync(join(folder, 'poster', 'pixel-image.schema.json'), '{}');
    const refused = await studio.submit(plan, '/new/example', {}, 'yes');
    expect(refused).toMatchObject({ status: 409, body: expect.stringContaining('is not overwritten') as string });
    expect(readdirSync(folder)).toEqual(['poster']);
  });

  it('is offered once if it is an unchanged copy of an example', async () => {
    const [example] = await examples();
    if (example === undefined) throw new Error('there are examples');
    await copyExample(example, folder);
    const listed = `<code>${example.name}</code>`;
    expect((await studio.get('/new')).body).not.toContain(listed);
    writeFileSync(join(folder, example.name), `${example.text}# mine\n`);
    expect((await studio.get('/new')).body).toContain(listed);
    const plan = await studio.submit(await studio.get('/new'), '/new/file', { name: example.name });
    expect(plan.status).toBe(200);
  });

  it('whose file was saved, but that cannot be rendered now, says where the file is', async () => {
    const plan = await own({ name: 'saved.yaml', text: FILM });
    // A refusal that comes after the plan was checked once more needs another process at just this moment.
    const render = jest.spyOn(studio.dailies, 'renderProduction').mockRejectedValueOnce(new Refused('It is paused'));
    const refused = await studio.submit(plan, '/new/own', {}, 'yes');
    render.mockRestore();
    expect(refused.body).toContain(`It is paused (the file is saved as ${join(folder, 'saved.yaml')})`);
    expect(readFileSync(join(folder, 'saved.yaml'), 'utf8')).toBe(FILM);
  });

  it.each([
    ['a mistake', new InvalidInput([{ flag: 'shots', message: 'too many' }])],
    ['no answer of Temporal', new Error('Failed to connect')],
  ])('whose file was saved before %s does not say that nothing was saved', async (_what, error) => {
    const plan = await own({ name: 'kept.yaml', text: FILM });
    const render = jest.spyOn(studio.dailies, 'renderProduction').mockRejectedValueOnce(error);
    const { body } = await studio.submit(plan, '/new/own', {}, 'yes');
    render.mockRestore();
    expect(body).toContain(`the file is saved as ${join(folder, 'kept.yaml')}`.slice(1));
    expect(body).not.toContain('nothing was saved');
    studio.errors.splice(0);
  });
});
