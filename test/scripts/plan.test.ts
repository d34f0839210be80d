import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadProduction } from '../../client/production-file';
import { freezeProduction } from '../../client/freeze/freeze-production';
import { RenderPlan } from '../../contracts/render/render-plan';
import { askKey, type FolderStore, openStore, type Store, takeKey } from '../../store';
import { policy } from '../production-file/production-fixtures';
import { book } from '../books/store-with-takes';
import { AT, intent, sent, settled } from '../support/ledger-fixtures';
import { temporaryFolder } from '../support/temporary-folder';
import { dailies, type Ended } from './command';

const FILM = `
title: Two mornings
defaults: { model: beta-video, duration: 4, resolution: 480p, retryFailed: 0 }
shots:
  - { id: dawn, prompt: The sun comes up over a sea that has been grey for as long as anybody can remember. }
  - { id: poster, model: pixel-image-1, prompt: A poster. }
models: { pixel-image-1: { workflow: pixel/v1/image, output: image } }
`;

describe('dailies plan', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    writeFileSync(join(folder, 'film.yaml'), FILM);
  });

  const plan = (args: string[] = [], env: Record<string, string> = {}): Promise<Ended> =>
    dailies(['plan', 'film.yaml', ...args], { folder, env });

  async function planned(env: Record<string, string> = {}): Promise<RenderPlan> {
    return RenderPlan.parse(JSON.parse((await plan(['--json'], env)).stdout));
  }

  /** Records the first shot's take, charged 20 credits unless it failed, and the film's frozen form. */
  async function render(state: 'completed' | 'failed' = 'completed', withPlan = false): Promise<FolderStore> {
    const store = await openStore(join(folder, 'store'));
    const loaded = await loadProduction(join(folder, 'film.yaml'), policy);
    if (!loaded.ok) throw new Error('the film is broken');
    const { frozen, ref, plan: rules } = await freezeProduction(loaded.production, store);
    const [shot] = frozen.shots;
    const ask = askKey({ account: 'sandbox', productionId: 'film', shot: shot!, links: [] });
    const { parameters, model } = shot!;
    const address = { productionId: 'film', shotId: 'dawn', take: 1 };
    await store.ledger.intend(address, intent({ askKey: ask, takeKey: takeKey(ask, 0), parameters, model }));
    await store.ledger.beginSending(address, 1, sent());
    await store.ledger.endSending(address, 1, { kind: 'accepted', record: { taskId: 'task-1', at: AT } });
    await store.ledger.settle(address, settled(state, 'task-1', 20));
    await store.productions.begin('film', {
      renderId: 'render-1',
      production: ref,
      account: 'sandbox',
      at: AT,
      ...(withPlan ? { plan: await store.putJson(rules) } : {}),
    });
    return store;
  }

  it('needs no gateway, no Temporal and no store, and makes none', async () => {
    const nobody = 'http://127.0.0.1:9';
    const env = { DAILIES_GATEWAY_URL: nobody, DAILIES_GATEWAY_KEY: 'key', TEMPORAL_ADDRESS: '127.0.0.1:9' };
    const { exitCode, stdout, stderr } = await plan([], env);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^The ledger in .* is new: .* would be paid for again\.\n$/);
    expect(stdout).toMatch(/^ {2}\+ dawn +new {2}price unknown$/m);
    expect(stdout).toMatch(/^ {2}beta-2\.5 at 480p: price unknown; /m);
    expect(stdout).toMatch(/^2 shots to render, price unknown; the film is assembled\.$/m);
    expect(await planned(env)).toMatchObject({ account: nobody, underWay: false });
    expect(readdirSync(folder)).toEqual(['film.yaml']);
  });

  it('shows where two long prompts differ, and the learned price', async () => {
    await render();
    writeFileSync(join(folder, 'film.yaml'), FILM.replace('anybody can remember', 'anyone remembers'));
    const { stdout } = await plan();
    expect(stdout).toMatch(
      /^ {2}~ dawn +changed: prompt …g as anybody can remember\. -> …g as anyone remembers\. {2}20 credits$/m,
    );
    expect(stdout).toMatch(/^ {2}beta-2\.5 at 480p: 5 credits a second, as a take was charged$/m);
    expect(stdout).toMatch(/^2 shots to render, 23 credits; /m);
  });

  it('marks a shot that has a take and gets another one, since that one costs credits', async () => {
    await render();
    writeFileSync(join(folder, 'film.yaml'), FILM.replace('id: dawn,', 'id: dawn, takes: 2,'));
    expect((await plan()).stdout).toMatch(/^ {2}\+ dawn +collected/m);
  });

  it('uses a price table, and refuses an invalid one', async () => {
    const table = join(folder, 'prices.json');
    writeFileSync(
      table,
      JSON.stringify({ 'beta-video': { perSecond: { '480p': 6 } }, 'pixel-image-1': { perTask: 3 } }),
    );
    const env = { DAILIES_PRICES: table };
    expect(await planned(env)).toMatchObject({
      shots: [
        { shot: 'dawn', quote: { credits: { low: 24, high: 24 }, source: 'table', takes: 0 } },
        { shot: 'poster', quote: { credits: { low: 3, high: 3 }, seconds: null, resolution: null } },
      ],
      quote: { tasks: 2, credits: 27, unknown: 0 },
    });
    expect((await plan([], env)).stdout).toMatch(/^ {2}pixel-image-1: 3 credits a task, by the table of prices$/m);
    for (const wrong of ['{', '[]', '{"beta-2.5": {"perSecond": -1}}', '{"beta-2.5": {"perHour": 1}}']) {
      writeFileSync(table, wrong);
      const refused = await plan([], env);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain('DAILIES_PRICES');
    }
    expect((await plan([], { DAILIES_PRICES: join(folder, 'none.json') })).exitCode).toBe(2);
  });

  it('quotes a first plan at the sandbox by its own prices, in a table without the model too', async () => {
    const table = join(folder, 'prices.json');
    writeFileSync(table, JSON.stringify({ 'beta-video': { perSecond: 7 } }));
    expect((await planned()).quote).toEqual({ tasks: 2, credits: 23, unknown: 0 });
    expect((await planned({ DAILIES_PRICES: table })).quote).toEqual({ tasks: 2, credits: 31, unknown: 0 });
  });

  it('announces the task that goes first to learn a price, and counts an estimate against the budget, with its basis', async () => {
    const env = {
      DAILIES_GATEWAY_URL: 'http://127.0.0.1:9',
      DAILIES_GATEWAY_KEY: 'key',
      DAILIES_PRICES: join(folder, 'prices.json'),
    };
    writeFileSync(env.DAILIES_PRICES, JSON.stringify({ 'beta-video': { perSecond: { '720p': 8 } } }));
    const atFullHd = FILM.replace('480p', '1080p').replace('shots:', 'budget: { credits: 60 }\nshots:');
    writeFileSync(join(folder, 'film.yaml'), atFullHd);
    const { stdout } = await plan([], env);
    expect(stdout).toMatch(/^ {2}\+ dawn +new {2}price unknown, up to 72 credits by estimate$/m);
    expect(stdout).toMatch(/^ {2}beta-2\.5 at 1080p: .*; estimated by 8 credits a second at 720p$/m);
    expect(stdout).toMatch(/^2 shots to render, price unknown, up to 72 credits for 1 of them by estimate; /m);
    expect(stdout).toContain('Of the budget of 60 credits, 60 are left: 12 too few.');
    expect(stdout).toContain(
      'of beta-2.5 at 1080p is not known. One task goes first, such as that of "dawn"; its charge becomes',
    );
    expect(stdout).toContain('of pixel-image-1 is not known. One task goes first, such as that of "poster"');
    expect(await planned(env)).toMatchObject({
      shots: [{ quote: { credits: null, estimate: { credits: 72, from: { resolution: '720p', credits: 8 } } } }, {}],
      quote: { tasks: 2, credits: 0, unknown: 2, estimated: { tasks: 1, credits: 72 } },
    });
  });

  it('says that a render is under way, whose failed take waits for a person; a changed file is another render', async () => {
    await render('failed');
    const { stdout, stderr } = await plan();
    expect(stdout).toMatch(/^ {2}\? dawn +waits for you, take 1: no luck$/m);
    expect(stdout).toMatch(/; 1 waiting for you; the film is assembled\.$/m);
    expect(stderr).toContain('A render of this file joins it; see `dailies status film`');
    writeFileSync(join(folder, 'film.yaml'), FILM.replace('Two mornings', 'Three mornings'));
    expect(await planned()).toMatchObject({ underWay: true, joins: false, shots: [{ action: 'again', take: 1 }, {}] });
    expect((await plan()).stderr).toContain('Until that render has ended, a render of this file is refused.');
  });

  it('says that a file with other rules is another render, since it would be refused', async () => {
    await render('failed', true);
    expect(await planned()).toMatchObject({ underWay: true, joins: true });
    writeFileSync(join(folder, 'film.yaml'), FILM.replace('retryFailed: 0', 'retryFailed: 3'));
    expect(await planned()).toMatchObject({ underWay: true, joins: false });
    writeFileSync(join(folder, 'film.yaml'), FILM.replace('shots:', 'budget: { credits: 60 }\nshots:'));
    expect(await planned()).toMatchObject({ underWay: true, joins: true });
  });

  it('warns of an earlier take that is unclear and may be charged in addition', async () => {
    const store = await render();
    await book(store, { productionId: 'film', shotId: 'dawn', take: 2 }, 'unclear');
    expect((await planned()).unclear).toBeUndefined();
    writeFileSync(join(folder, 'film.yaml'), FILM.replace('anybody', 'anyone'));
    expect((await planned()).unclear).toEqual([{ shot: 'dawn', take: 2 }]);
    expect((await plan()).stdout).toMatch(
      /^Take 2 of "dawn" is unclear\. If the gateway accepted it, you pay for it too\.$/m,
    );
  });

  it('says what a person skipped, how to take that back, and which shots are blocked by it', async () => {
    const linked = `  - { id: noon, prompt: Noon., startFrame: { lastFrameOf: dawn } }\nmodels:`;
    writeFileSync(join(folder, 'film.yaml'), FILM.replace('models:', linked));
    const store = await render('failed');
    const skip = { kind: 'skip', by: 'person', afterSending: 1, parkedFor: 'failed', at: AT } as const;
    await store.ledger.decide({ productionId: 'film', shotId: 'dawn', take: 1 }, 1, skip);
    const { stdout } = await plan();
    expect(stdout).toMatch(
      /^ {2}- dawn +left out by your decision, take 1; `dailies resolve film dawn --resubmit` takes it back$/m,
    );
    expect(stdout).toMatch(/^ {2}! noon +not rendered, because dawn has no output$/m);
    expect(stdout).toMatch(/^ {4}the film +not assembled: shots are missing$/m);
    expect(stdout).toMatch(/^1 shot to render, 3 credits; 1 left out; 1 not rendered\.$/m);
  });

  it('collects what is paid for', async () => {
    await render();
    expect(await planned()).toMatchObject({
      shots: [{ action: 'collected', take: 1, quote: null }, { action: 'new' }],
    });
  });

  it('is quoted for the rest by `dailies status`', async () => {
    await render();
    const { stdout } = await dailies(['status', 'film'], { folder });
    expect(stdout).toContain('Quoted for the rest: 1 shot, 3 credits.');
  });

  it.each<[string, (store: Store) => Promise<unknown>, string[], RegExp]>([
    [
      'a broken file',
      () => Promise.resolve(writeFileSync(join(folder, 'film.yaml'), 'shots: []')),
      [],
      /film\.yaml:1:8/,
    ],
    [
      'the id of another file',
      (store) =>
        store.productions.begin('film', {
          renderId: 'elsewhere',
          production: {
            sha256: '0'.repeat(64),
            mediaType: 'application/json',
            sizeBytes: 2,
            durationSeconds: null,
            width: null,
            height: null,
          },
          account: 'sandbox',
          at: AT,
          path: '/elsewhere/film.yaml',
        }),
      [],
      /last rendered from \/elsewhere\/film\.yaml/,
    ],
    [
      'the id of a row of a batch',
      async (store) => {
        const production = await store.putJson({});
        const begun = { renderId: 'r', production, account: 'sandbox', at: AT, batch: 'films' };
        await store.productions.begin('films.one', begun);
      },
      ['--id', 'films.one'],
      /is a row of the batch "films"/,
    ],
    ['an id that is kept', () => Promise.resolve(), ['--id', 'generations'], /dailies generate/],
    [
      'a store of a newer version',
      () => Promise.resolve(writeFileSync(join(folder, 'store', 'store.json'), '{"format":99,"id":"0123456789ab"}')),
      [],
      /format 99/,
    ],
  ])('refuses %s', async (_what, prepare, args, words) => {
    await prepare(await openStore(join(folder, 'store')));
    const { exitCode, stderr } = await plan(args);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(words);
  });

  it('accepts an id that is given, and reads a store that another process has only begun', async () => {
    mkdirSync(join(folder, 'store'));
    const { stdout } = await plan(['--id', 'second-cut', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ production: 'second-cut' });
    expect(readdirSync(join(folder, 'store'))).toEqual([]);
  });
});
