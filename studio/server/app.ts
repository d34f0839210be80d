import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import { html } from '../../client/contact-sheet/html';
import { Refused, Unknown } from '../../client/wording/refused';
import { isRecordId } from '../../store';
import { answerGone, notFound, refusedPage, tooLarge, unknownPage } from '../pages/refusals';
import { BEGINNING, layout } from '../pages/layout';
import { troublesOf, troublesVersion, versionOfTroubles } from '../pages/troubles';
import { ANSWER_PATH, type AnswerPages, createAnswerPages } from './answer-pages';
import { createFormTokens, type FormTokens, isOutcome } from './form-tokens';
import { type Guard } from './guard';
import { shortVersion, streamChanges } from './live';
import { type ActionRoute, type FileRoute, type Page, type PageRequest, type PageRoute, type Section } from './page';
import { serveAsset } from './serve-asset';
import { BROWSER_FOLDER, createStaticFiles } from './static-files';
import { type Studio } from './studio';

/** Largest form. It may contain a production file, or a clip for a shot. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

export interface AppOptions {
  readonly studio: Studio;
  readonly guard: Guard;
  readonly sections: readonly Section[];
  /** Called with an unexpected error of a request. */
  readonly onError: (error: Error) => void;
  /** Folder of the style sheets and compiled scripts. Default: `BROWSER_FOLDER`. */
  readonly browserFolder?: string | undefined;
}

export function createApp({ studio, guard, sections, onError, browserFolder = BROWSER_FOLDER }: AppOptions): Hono {
  const app = new Hono();
  const tokens = createFormTokens();
  const answers = createAnswerPages();
  app.use(guard.middleware);
  app.use(bodyLimit({ maxSize: BODY_LIMIT_BYTES, onError: (c) => respond(c, studio, tokens, tooLarge()) }));
  app.get('/studio/:name{.+}', createStaticFiles(browserFolder));
  app.get('/assets/:name', (c) => serveAsset(c, studio.dailies.store));
  for (const { pages, actions, files = [] } of sections) {
    for (const file of files) addFile(app, studio, file);
    for (const page of pages) addPage(app, { studio, tokens, onError }, page);
    for (const action of actions) addAction(app, { studio, tokens, answers }, action);
  }
  app.get(`${ANSWER_PATH}/:answer`, (c) => {
    const page = answers.find(c.req.param('answer'));
    c.header('cache-control', 'no-store');
    return page === undefined ? respond(c, studio, tokens, answerGone()) : c.html(page.markup, page.status);
  });
  app.notFound(async (c) => respond(c, studio, tokens, notFound()));
  const pagePaths = new Set(sections.flatMap(({ pages }) => pages.map(({ path }) => path)));
  app.onError(async (error, c) => respond(c, studio, tokens, pageOfError(error, onError, c, formPage(c, pagePaths))));
  return app;
}

/**
 * The path of the page whose form was sent, if known: the action's own path if that is a page, else one path segment
 * above it.
 */
function formPage(c: Context, pagePaths: ReadonlySet<string>): string | undefined {
  const { method, path } = c.req;
  if (method !== 'POST') return undefined;
  const page = pagePaths.has(routePath(c)) ? path : path.slice(0, path.lastIndexOf('/'));
  return page === '' ? undefined : page;
}

/** @param back path of the page whose form was sent; undefined if unknown. */
function pageOfError(cause: unknown, onError: AppOptions['onError'], c: Context, back?: string): Page {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  if (error instanceof Unknown && c.req.method === 'GET') return unknownPage(error);
  const isRefusal = error instanceof Refused;
  if (!isRefusal) onError(error);
  return refusedPage(error, isRefusal, back);
}

/** The objects that every page of an app needs. */
interface Serving extends Pick<AppOptions, 'studio' | 'onError'> {
  readonly tokens: FormTokens;
}

function addPage(app: Hono, { studio, tokens, onError }: Serving, page: PageRoute): void {
  app.get(page.path, async (c) => {
    if (!hasValidIds(c)) return c.notFound();
    const request = requestOf(c, tokens);
    const { version } = page;
    if (c.req.header('accept')?.includes('text/event-stream') === true) {
      if (version === undefined) return c.text('This page does not change by itself.\n', 406);
      return streamChanges(c, async () => withTroubles(await version(studio, request), await troublesVersion(studio)));
    }
    const shown = (): Promise<Page> => showWithVersion(studio, page, request);
    // Send the page in two parts only if a person opens it. The status is then always 200, and the script that reloads
    // a page needs the real status.
    const isOpened = c.req.header('sec-fetch-dest') === 'document';
    if (!isOpened || (await page.exists?.(studio, request)) !== true) return respond(c, studio, tokens, shown());
    const rest = async (): Promise<string> => {
      try {
        return (await rendered(c, studio, tokens, shown())).rest;
      } catch (error) {
        return (await rendered(c, studio, tokens, pageOfError(error, onError, c))).rest;
      }
    };
    c.header('cache-control', 'no-store');
    c.header('content-type', 'text/html; charset=utf-8');
    return c.body(streamOf(inTwoParts(BEGINNING, rest)));
  });
}

async function* inTwoParts(first: string, second: () => Promise<string>): AsyncIterable<string> {
  const made = second();
  // If the browser disconnects, nothing awaits `made`, and its rejection would be unhandled.
  made.catch(() => undefined);
  yield first;
  yield await made;
}

async function showWithVersion(studio: Studio, route: PageRoute, request: PageRequest): Promise<Page> {
  // Read the version before the page, so that the browser reloads if something changes in between.
  const before = route.showsVersion === true ? undefined : await route.version?.(studio, request);
  const page = await route.show(studio, request);
  const version = page.version ?? before;
  return version === undefined ? page : { ...page, version };
}

/** Every page shows the troubles of the account, so its version includes the version of the troubles. */
function withTroubles(version: string, ofTroubles: string): string {
  return [version, ofTroubles].join('\n');
}

function addFile(app: Hono, studio: Studio, route: FileRoute): void {
  app.get(route.path, async (c) => {
    if (!hasValidIds(c)) return c.notFound();
    const { name, mediaType, body } = await route.file(studio, { params: c.req.param() });
    c.header('cache-control', 'no-store');
    c.header('content-type', mediaType);
    if (name !== undefined) c.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
    return c.body(typeof body === 'string' ? body : streamOf(body));
  });
}

/** Stops reading when the browser disconnects. */
function streamOf(pieces: AsyncIterable<string>): ReadableStream {
  return ReadableStream.from(encoded(pieces));
}

/** Encodes pieces as UTF-8. A `TextEncoderStream` would be slower, because it cuts long pieces into short pieces. */
async function* encoded(pieces: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

async function respond(c: Context, studio: Studio, tokens: FormTokens, page: Page | Promise<Page>): Promise<Response> {
  c.header('cache-control', 'no-store');
  const { rest, status } = await rendered(c, studio, tokens, page);
  return c.html(BEGINNING + rest, status);
}

/** A page in its layout: the document after its beginning, and the status. */
async function rendered(c: Context, studio: Studio, tokens: FormTokens, page: Page | Promise<Page>): Promise<Rendered> {
  const done = tokens.doneOf(c.req.query('done') ?? '') ?? null;
  const [shown, troubles] = await Promise.all([page, troublesOf(studio)]);
  const version =
    shown.version === undefined ? null : shortVersion(withTroubles(shown.version, versionOfTroubles(troubles)));
  const { markup } = layout(studio, shown, { path: c.req.path, done, troubles, version });
  return { rest: markup, status: shown.status ?? 200 };
}

interface Rendered {
  readonly rest: string;
  readonly status: NonNullable<Page['status']>;
}

/** Whether the ids in the path are well-formed. The store throws on malformed ids. */
function hasValidIds(c: Context): boolean {
  const params: Readonly<Record<string, string>> = c.req.param();
  return ['id', 'shot'].every((name) => params[name] === undefined || isRecordId(params[name]));
}

function requestOf(c: Context, tokens: FormTokens): PageRequest {
  return {
    params: c.req.param(),
    query: c.req.query(),
    token: tokenField(tokens),
  };
}

function tokenField(tokens: FormTokens): PageRequest['token'] {
  return (path) => html`<input type="hidden" name="token" value="${tokens.issue(path)}" />`;
}

interface Acting {
  readonly studio: Studio;
  readonly tokens: FormTokens;
  readonly answers: AnswerPages;
}

function addAction(app: Hono, { studio, tokens, answers }: Acting, action: ActionRoute): void {
  app.post(action.path, async (c) => {
    if (!hasValidIds(c)) return c.notFound();
    const form: Readonly<Record<string, unknown>> = await c.req.parseBody().catch(() => ({}));
    const field = (name: string): string => {
      const value = form[name];
      return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
    };
    const outcome = tokens.once({ token: field('token'), path: c.req.path, fingerprint: fingerprintOf(form) }, () =>
      action.act(studio, {
        params: c.req.param(),
        field,
        file: (name) => fileIn(form[name]),
        json: (name) => parseJson(field(name)),
        token: tokenField(tokens),
      }),
    );
    if (outcome === undefined) {
      throw new Refused('This form is not from the running studio. Load the page again; nothing has happened.');
    }
    const result = await outcome;
    if (isOutcome(result)) {
      answers.drop(field('token'));
      return c.redirect(result.to, 303);
    }
    const { rest, status } = await rendered(c, studio, tokens, result);
    return c.redirect(answers.keep({ markup: BEGINNING + rest, status }), 303);
  });
}

function fileIn(value: unknown): File | undefined {
  return value instanceof File && value.size > 0 ? value : undefined;
}

/** A hash of a form's fields. For a file, only the name and size are hashed. */
function fingerprintOf(form: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(form).map(([name, value]) =>
    value instanceof File ? [name, value.name, value.size] : [name, value],
  );
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
