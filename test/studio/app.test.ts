import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { type Hono } from 'hono';
import { html } from '../../client/contact-sheet/html';
import { Refused, unknownProduction } from '../../client/wording/refused';
import { createApp } from '../../studio/server/app';
import { createGuard } from '../../studio/server/guard';
import { type ActionRoute, type Page, type PageRequest, type PageRoute } from '../../studio/server/page';
import { type Studio } from '../../studio/server/studio';

const HOST = '127.0.0.1:4711';
const browserFolder = join(__dirname, '..', '..', 'dist', 'studio', 'browser');

const studio = {
  isSandbox: true,
  hasWorker: () => Promise.resolve(true),
  dailies: {
    closedGates: () => Promise.resolve([]),
    temporal: { withDeadline: (_: number, call: () => unknown) => call() },
  },
} as unknown as Studio;

const OPENS = { 'sec-fetch-dest': 'document' };

interface Opened {
  readonly app: Hono;
  readonly errors: readonly Error[];
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
}

/** An app with one page, `/page`, as a browser sees it that has entered. */
async function opened(page: Pick<PageRoute, 'show' | 'exists'>): Promise<Opened> {
  const errors: Error[] = [];
  const guard = createGuard({ port: () => 4711, listensOn: '127.0.0.1' });
  const sections = [{ pages: [{ path: '/page', ...page }], actions: [] }];
  const app = createApp({ studio, guard, sections, onError: (error) => errors.push(error), browserFolder });
  const entered = await app.request(guard.entrance, { headers: { host: HOST } });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const get = async (path: string, headers = {}): Promise<Response> =>
    app.request(path, { headers: { host: HOST, cookie, ...headers } });
  return { app, errors, get };
}

const PAGE: Page = { title: 'A title', body: html`<h1>A body</h1>` };

describe('a page that takes long to make', () => {
  const exists = (): Promise<boolean> => Promise.resolve(true);

  it('has sent what the browser needs to paint before it is made, and the rest after it', async () => {
    let make: (page: Page) => void = () => undefined;
    const made = new Promise<Page>((resolve) => (make = resolve));
    const { get } = await opened({ exists, show: () => made });
    const answer = await get('/page', OPENS);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const reader = answer.body!.getReader();
    const first = Buffer.from((await reader.read()).value).toString();
    expect(first).toMatch(/^<!doctype html>[^]*\/studio\/studio\.css[^]*\/studio\/manrope-400\.ttf/);
    expect(first).not.toContain('</head>');
    make(PAGE);
    const rest = Buffer.from((await reader.read()).value).toString();
    expect(rest).toMatch(
      /\/studio\/studio\.js[^]*<title>A title · Dailies<\/title>[^]*<\/head>[^]*<h1>A body<\/h1>[^]*<\/html>\s*$/,
    );
    expect(await reader.read()).toMatchObject({ done: true });
  });

  it('is the same document as one that is made first', async () => {
    const show = (): Promise<Page> => Promise.resolve(PAGE);
    const [early, late] = [await opened({ exists, show }), await opened({ show })];
    expect(await (await early.get('/page', OPENS)).text()).toBe(await (await late.get('/page')).text());
  });

  it.each([
    ['a refusal', new Refused('It is paused.'), 'Not possible now', 0],
    ['an unexpected error', new Error('It broke.'), 'Something went wrong', 1],
  ])('ends with the page of %s', async (_, error, title, reported) => {
    const { get, errors } = await opened({ exists, show: () => Promise.reject(error) });
    const text = await (await get('/page', OPENS)).text();
    expect(text).toContain(`<title>${title} · Dailies</title>`);
    expect(text).toContain(error.message);
    expect(errors).toHaveLength(reported);
  });

  it('is made first if it may not exist, so that its status says so', async () => {
    const missing = {
      exists: () => Promise.resolve(false),
      show: () => Promise.resolve({ ...PAGE, status: 404 } as const),
    };
    const { get } = await opened(missing);
    expect(await get('/page', OPENS)).toMatchObject({ status: 404 });
  });

  it('is made first for a script, so that its status tells of an error', async () => {
    for (const [error, status] of [
      [new Refused('It is paused.'), 409],
      [unknownProduction('nobody', []), 404],
      [new Error('a mistake of the studio'), 500],
    ] as const) {
      const { get } = await opened({ exists, show: () => Promise.reject(error) });
      expect(await get('/page', { 'sec-fetch-dest': 'empty' })).toMatchObject({ status });
    }
  });
});

describe('the page of a refusal', () => {
  it.each([
    'It is paused.',
    'It was changed. Nothing has happened. Load the page again.',
    'This form was sent before. Nothing has happened this time.',
  ])('of "%s" says once that nothing has happened', async (message) => {
    const { get } = await opened({ show: () => Promise.reject(new Refused(message)) });
    const text = await (await get('/page')).text();
    expect(text.match(/nothing has happened/gi)).toHaveLength(1);
  });
});

describe('the page of a refused form', () => {
  it('leads back to the page of the form, also if the form is sent to the address of its own page', async () => {
    const guard = createGuard({ port: () => 4711, listensOn: '127.0.0.1' });
    const act: ActionRoute['act'] = () => Promise.reject(new Refused('It is paused.'));
    const show: PageRoute['show'] = (_studio, { token, params }) => {
      const path = `/films/${params['id']!}`;
      return Promise.resolve({ title: 'Films', body: html`${token(`${path}/edit`)}${token(`${path}/pause`)}` });
    };
    const sections = [
      {
        pages: [{ path: '/films/:id/edit', show }],
        actions: [
          { path: '/films/:id/edit', act },
          { path: '/films/:id/pause', act },
        ],
      },
    ];
    const app = createApp({ studio, guard, sections, onError: () => undefined, browserFolder });
    const entered = await app.request(guard.entrance, { headers: { host: HOST } });
    const headers = { host: HOST, cookie: entered.headers.get('set-cookie')!.split(';')[0]!, origin: `http://${HOST}` };
    const page = await (await app.request('/films/sea/edit', { headers })).text();
    const tokens = [...page.matchAll(/name="token" value="([^"]*)"/g)].map(([, token]) => token!);
    const send = async (path: string, token: string): Promise<string> =>
      (await app.request(path, { method: 'POST', headers, body: new URLSearchParams({ token }) })).text();
    expect(await send('/films/sea/edit', tokens[0]!)).toContain('href="/films/sea/edit">Back</a>');
    expect(await send('/films/sea/pause', tokens[1]!)).toContain('href="/films/sea">Back</a>');
  });
});

describe('a page that answers a form', () => {
  it('has an address of its own until its form was carried out', async () => {
    const guard = createGuard({ port: () => 4711, listensOn: '127.0.0.1' });
    const form = (token: PageRequest['token']): Page => ({ title: 'A form', body: html`${token('/page/do')}` });
    const act: ActionRoute['act'] = (_studio, { field, token }) =>
      Promise.resolve(field('yes') === '' ? form(token) : { done: 'Done.', to: '/page' });
    const show: PageRoute['show'] = (_studio, { token }) => Promise.resolve(form(token));
    const sections = [{ pages: [{ path: '/page', show }], actions: [{ path: '/page/do', act }] }];
    const app = createApp({ studio, guard, sections, onError: () => undefined, browserFolder });
    const entered = await app.request(guard.entrance, { headers: { host: HOST } });
    const headers = { host: HOST, cookie: entered.headers.get('set-cookie')!.split(';')[0]!, origin: `http://${HOST}` };
    const send = (text: string, fields: Readonly<Record<string, string>>) => {
      const token = /name="token" value="([^"]*)"/.exec(text)![1]!;
      return app.request('/page/do', { method: 'POST', headers, body: new URLSearchParams({ token, ...fields }) });
    };
    const get = (path: string) => app.request(path, { headers });

    const asked = await send(await (await get('/page')).text(), {});
    const path = asked.headers.get('location')!;
    expect(path).toMatch(/^\/answers\//);
    const plan = await get(path);
    expect(plan.status).toBe(200);
    expect((await send(await plan.text(), { yes: 'yes' })).headers.get('location')).toMatch(/^\/page\?done=/);
    expect((await get(path)).status).toBe(404);
    expect((await app.request(path, { headers: { host: HOST } })).status).toBe(401);
  });
});

describe("the studio's own files", () => {
  it('are compressed for a browser that accepts it, and sent again only if they have changed', async () => {
    const { get } = await opened({ show: () => Promise.resolve(PAGE) });
    const plain = await get('/studio/studio.css');
    const text = await plain.text();
    // One sheet of all parts: the first and the last.
    expect(text).toMatch(/@font-face[^]*\.editor/);
    const zipped = await get('/studio/studio.css', { 'accept-encoding': 'gzip, br' });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(Buffer.from(await zipped.arrayBuffer())).toString()).toBe(text);
    const etag = plain.headers.get('etag') ?? '';
    expect(await get('/studio/studio.css', { 'if-none-match': etag })).toMatchObject({ status: 304 });
    expect(await get('/studio/studio.css', { 'if-none-match': '"other"' })).toMatchObject({ status: 200 });
    expect(await get('/studio/nothing.css')).toMatchObject({ status: 404 });
  });
});
