import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Page } from 'playwright-core';
import { SECTIONS } from '../../studio';
import { recordPictures } from '../support/batch-records';
import { describeInChromium } from '../support/chromium';
import { PICTURE_FILE, untilEnded } from '../support/scheduled';
import { startStudioRig, type StudioRig } from '../support/studio-rig';
import { violationsOf } from './accessibility';
import { ask } from './raw-http';

const PICTURE = 'model: pixel-image-1, width: 64, height: 36';
const CLIP = 'model: beta-video, duration: 4, resolution: 480p';

const PIER = `title: The pier
models:
  pixel-image-1: { output: image }
shots:
  - { id: dawn, ${CLIP}, prompt: the pier at dawn, takes: 2 }
  - { id: noon, ${CLIP}, prompt: the pier at noon, startFrame: { lastFrameOf: dawn } }
  - { id: poster, ${PICTURE}, prompt: a poster, review: true }
`;
const STILL = `models:
  pixel-image-1: { output: image }
shots:
  - { id: sea, ${PICTURE}, prompt: the sea, review: true }
`;

/** Actions that lead to another page, and show none of their own but a refusal. */
const LEAD_ELSEWHERE = [
  ...['pause', 'resume', 'cancel', 'budget'].map((verb) => `/productions/:id/${verb}`),
  '/productions/:id/shots/:shot/approve',
  ...['pause', 'resume', 'cancel', 'continue'].map((verb) => `/batches/:id/${verb}`),
  ...['pause', 'resume', 'delete'].map((verb) => `/schedules/:id/${verb}`),
  ...['pause', 'resume', 'pause-all', 'resume-all'].map((verb) => `/queue/${verb}`),
];

/** A page of the studio: its route, what it shows, a text on it, and the way there. */
type Look = readonly [route: string, shows: string, text: string | RegExp, reach: () => Promise<unknown>];

describeInChromium('every page of the studio is accessible', () => {
  let rig: StudioRig;
  let page: Page;
  let pier: string;

  beforeAll(async () => {
    rig = await startStudioRig();
    page = await rig.open();
    pier = join(rig.folder, 'pier.yaml');
  });

  afterAll(() => rig.close());

  const at = (path: string) => page.goto(`http://127.0.0.1:${rig.studio.port}${path}`);
  const to = (path: string) => () => at(path);
  /** Sends a form of a page with these fields. */
  const send =
    (path: string, name: string | RegExp, fields: Readonly<Record<string, string>> = {}) =>
    async () => {
      await at(path);
      const button = page.getByRole('button', { name }).first();
      const form = page.locator('form').filter({ has: button });
      for (const [field, value] of Object.entries(fields)) await form.locator(`[name=${field}]`).fill(value);
      await button.click();
    };

  async function seen([, , text, reach]: Look): Promise<void> {
    await reach();
    await page.locator('main').getByText(text).first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(rig.errors.splice(0)).toEqual([]);
  }

  const EMPTY: readonly Look[] = [
    ['GET /', 'no film', 'No film yet', to('/')],
    ['GET /review', 'nothing to review', /nothing/i, to('/review')],
    ['GET /queue', 'nothing to do', 'Nothing waits', to('/queue')],
    ['GET /schedules', 'no schedule', 'There is no schedule yet', to('/schedules')],
  ];

  it.each(EMPTY)('%s with %s', async (...look) => {
    await seen(look);
  });

  const CHECK = 'Check, and see what it costs';
  const [FILM, BATCH, SCHEDULE] = ['/productions/pier', '/batches/cups', '/schedules/nightly'];
  const past = { from: '2020-01-01T00:00Z', to: '2021-01-01T00:00Z' };

  const FULL: readonly Look[] = [
    ['GET /', 'films', 'Waits for you: poster', to('/')],
    ['GET /productions/:id', 'a film that waits', 'The pier', to(FILM)],
    ['GET /productions/:id', 'a settlement', 'Settlement', to('/productions/ended')],
    ['GET /productions/:id', 'an unknown id', 'There is no such page', to('/productions/nobody')],
    ['POST /productions/:id/render', 'a plan', 'Render what is left', send('/productions/ended', /^See what is left/)],
    ['GET /productions/:id/edit', 'a file', 'The film is running', to(`${FILM}/edit`)],
    ['POST /productions/:id/edit', 'findings', 'One mistake', send(`${FILM}/edit`, CHECK, { text: `${PIER}tilte: a` })],
    [
      'POST /productions/:id/edit',
      'a plan',
      'What follows',
      send(`${FILM}/edit`, CHECK, { text: PIER.replace('at noon', '') }),
    ],
    ['POST /productions/:id/edit', 'a conflict', 'The file as it is now', changedMeanwhile],
    ['GET /productions/:id/edit', 'no file', 'A program gave this', to('/productions/unclear/edit')],
    ['GET /productions/:id/shots/:shot', 'takes', 'Take 2', to(`${FILM}/shots/dawn`)],
    ['GET /productions/:id/shots/:shot', 'a joint', 'The cut from dawn', to(`${FILM}/shots/noon`)],
    [
      'GET /productions/:id/shots/:shot',
      'a parked shot',
      'The gateway has this task',
      to('/productions/unclear/shots/sea'),
    ],
    [
      'POST /productions/:id/shots/:shot/retake',
      'a plan',
      'Take it again',
      send(`${FILM}/shots/dawn`, 'See what it costs'),
    ],
    ['POST /productions/:id/shots/:shot/choose', 'a plan', 'What follows', send(`${FILM}/shots/dawn`, /^Choose take/)],
    [
      'POST /productions/:id/shots/:shot/resolve',
      'a refusal',
      'cannot be a task id',
      send('/productions/unclear/shots/sea', 'The gateway has this task', { taskId: '..' }),
    ],
    ['GET /review', 'a shot', 'a poster', to('/review')],
    ['GET /batches/:id', 'rows', 'Page 1 of 3', to(BATCH)],
    ['GET /batches/:id', 'rows of a state', '1 to 2 of 2 rows', to(`${BATCH}?state=failed`)],
    ['GET /batches/:id', 'no rows', 'No row matches', to(`${BATCH}?key=pot`)],
    ['POST /batches/:id/retry', 'a plan', 'Render them again', send(BATCH, /^Retry the 2 rows/)],
    ['GET /schedules', 'a schedule', '1 schedule', to('/schedules')],
    [
      'POST /schedules',
      'a finding',
      'Name the file',
      send('/schedules', 'Create it', { name: 'daily', cron: '0 2 * * *' }),
    ],
    ['GET /schedules/:id', 'a schedule', 'Past runs', to(SCHEDULE)],
    ['POST /schedules/:id/update', 'a finding', /cron/, send(SCHEDULE, 'Change it', { cron: 'never' })],
    ['POST /schedules/:id/trigger', 'a plan', 'A run of nightly', send(SCHEDULE, 'Render it now')],
    ['POST /schedules/:id/backfill', 'a plan', 'Render them', send(SCHEDULE, 'See what it costs', past)],
    [
      'POST /schedules/:id/backfill',
      'a finding',
      'Back to the schedule',
      send(SCHEDULE, 'See what it costs', { ...past, to: 'x' }),
    ],
    ['GET /queue', 'what has begun', 'Pause pier', to('/queue')],
    [
      'POST /queue/limits',
      'a finding',
      'is not a whole number from 1 with at most 12 digits',
      send('/queue', 'Set limits', { inFlight: '-1' }),
    ],
    ['GET /new', 'examples and files', 'Files in this folder', to('/new')],
    ['POST /new/example', 'a plan', 'Render it', send('/new', /^See what .* costs$/)],
    ['POST /new/file', 'a plan', 'Render it', send('/new', 'See what still.yaml costs')],
    ['POST /new/own', 'a plan', 'Save and render it', send('/new', CHECK)],
    ['POST /new/own', 'a finding', 'is not a valid file name', send('/new', CHECK, { name: '../x' })],
    ['GET /anything', 'no such page', 'There is no such page', to('/anything')],
  ];

  async function changedMeanwhile(): Promise<void> {
    await at(`${FILM}/edit`);
    writeFileSync(pier, `${PIER}# changed\n`);
    await page.getByRole('button', { name: CHECK }).click();
  }

  describe('with films', () => {
    beforeAll(async () => {
      const { dailies, folder } = rig;
      writeFileSync(pier, PIER);
      await dailies.renderProduction(pier, { id: 'pier' });
      writeFileSync(join(folder, 'still.yaml'), STILL);
      await dailies.renderProduction(join(folder, 'still.yaml'), { id: 'ended' });
      await dailies.cancel('ended');
      await rig.rig.client.ended('ended');
      rig.rig.sandbox.faults.inject({ kind: 'accept-500', count: 1 });
      const sea = { id: 'sea', prompt: 'the sea', model: 'pixel-image-1', width: 64, height: 36 };
      await dailies.renderProduction({ id: 'unclear', models: { 'pixel-image-1': { output: 'image' } }, shots: [sea] });
      rig.rig.sandbox.faults.clear();
      const keys = Array.from({ length: 250 }, (_, index) => `cup-${index}`);
      await recordPictures(rig.rig.store, { id: 'cups', title: 'Cups', keys, failed: ['cup-1', 'cup-200'] });
      writeFileSync(join(folder, 'nightly.yaml'), PICTURE_FILE);
      // On one day of the year, so that none starts by itself.
      await dailies.schedules.create('nightly', join(folder, 'nightly.yaml'), { cron: '0 2 9 1 *', timezone: 'UTC' });
      await dailies.schedules.trigger('nightly');
      await untilEnded(rig.rig.store, 'nightly', 1);
    });

    it.each(FULL)('%s with %s', async (...look) => {
      await seen(look);
    });
  });

  it.each([
    ['127.0.0.1', 401],
    ['films.example', 403],
  ])('what a browser without the token is told by %s', async (name, status) => {
    const { port } = rig.studio;
    const answer = await ask(port, { path: '/', headers: { host: `${name}:${port}` } });
    expect(answer.status).toBe(status);
    await page.goto('about:blank');
    await page.setContent(answer.body);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('is looked at here', () => {
    const routes = SECTIONS.flatMap(({ pages, actions }) => [
      ...pages.map(({ path }) => `GET ${path}`),
      ...actions.map(({ path }) => `POST ${path}`),
    ]);
    const looked = [...EMPTY, ...FULL].map(([route]) => route);
    const not = routes.filter((route) => !looked.includes(route));
    expect(not.toSorted()).toEqual(LEAD_ELSEWHERE.map((path) => `POST ${path}`).toSorted());
  });
});
