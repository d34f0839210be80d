import { createHash, timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { isLocalHost } from '../../contracts/local-host';
import { answerFile } from './answer-file';
import { answerRead } from './answer-read';
import { answerRun } from './answer-run';
import { errorAnswer } from './answers';
import { readInjection } from '../faults/injection';
import { openWire } from '../faults/wire';
import type { WireEnv } from './wire-context';
import { openApiDocument } from './openapi-document';
import { readJson } from './read-json';
import { RequestRefused } from './request-refused';
import type { AppOptions } from './app-options';

/** Largest request body in bytes: enough for a few full-size frames as data URIs. The specification names no limit. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const FOREIGN_HOST =
  'The sandbox answers only to 127.0.0.1, [::1] and localhost, because it listens on this machine alone.';

/**
 * Makes the sandbox's HTTP application. Every route except files needs a key.
 *
 * Source: gateway specification, "Endpoints".
 */
export function createApp(options: AppOptions): Hono<WireEnv> {
  const { apiKey, runner, faults, listener } = options;
  const app = new Hono<WireEnv>();

  app.onError((error, context) => {
    const refused = error instanceof RequestRefused ? error : new RequestRefused(500, 'internal_error', error.message);
    const { retryAfter } = refused.details;
    if (retryAfter !== undefined) context.header('retry-after', retryAfter);
    return context.json(errorAnswer(refused), refused.status);
  });
  app.notFound((context) => {
    throw new RequestRefused(404, 'unknown_address', `Nothing answers ${context.req.method} ${context.req.path}.`);
  });

  app.use(async (context, next) => {
    const { outgoing } = context.env;
    context.set('wire', openWire(outgoing));
    await next();
    // While the listener is closed, requests would still arrive on a keep-alive connection.
    if (!listener().isOpen() && !outgoing.headersSent) outgoing.setHeader('connection', 'close');
  });
  if (options.isLocal) {
    app.use(async (context, next) => {
      if (!isLocalHost(context.req.header('host'))) throw new RequestRefused(403, 'foreign_host', FOREIGN_HOST);
      await next();
    });
  }
  // Files need no key: callers must not send the gateway's key to download addresses. The task id in the address is
  // random, and only callers with a valid key learn the id.
  app.get('/files/:taskId/:name', (context) => answerFile(context, context.req.param(), options));
  app.use(async (context, next) => {
    authenticate(context.req.header('authorization'), apiKey);
    await next();
  });
  app.get('/openapi.json', (context) => context.json(openApiDocument()));
  app.get('/sandbox/health', (context) => context.json({ status: 'success' }));
  app.get('/sandbox/tasks', (context) =>
    // One field per line, so that a person can search the list.
    context.body(`${JSON.stringify({ tasks: runner.list() }, null, 2)}\n`, 200, { 'content-type': 'application/json' }),
  );
  app.get('/sandbox/counts', (context) => context.json(runner.counts()));
  app.get('/sandbox/faults', (context) => context.json({ armed: faults.armed(), struck: faults.struck() }));
  app.post('/sandbox/faults', async (context) => {
    faults.inject(readInjection(await readJson(context)));
    return context.json({ armed: faults.armed() });
  });
  app.delete('/sandbox/faults', (context) => {
    faults.clear();
    return context.json({ armed: [] });
  });

  app.use('/workflows/*', async (context, next) => {
    const broken = await faults.outcome('request', {
      wire: context.var.wire,
      on: context.req.method === 'POST' ? 'submit' : 'read',
      closeListener: (seconds) => {
        listener().pause(seconds);
      },
    });
    if (broken) return broken;
    await next();
    return undefined;
  });
  app.use('/workflows/*', bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuseLargeBody }));
  app.post('/workflows/*', (context) => answerRun(context, options));
  app.get('/workflows/*', (context) => answerRead(context, options));
  return app;
}

function authenticate(authorization: string | undefined, apiKey: string | undefined): void {
  const key = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (key === undefined) {
    throw new RequestRefused(401, 'unauthenticated', 'The header Authorization: Bearer <API_KEY> is needed.');
  }
  if (apiKey !== undefined && !isSame(key, apiKey))
    throw new RequestRefused(401, 'unauthenticated', 'The key is wrong.');
}

function isSame(given: string, key: string): boolean {
  const [one, other] = [given, key].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** Reads the body first, up to twice the limit: the server resets connections whose client goes on sending. */
async function refuseLargeBody({ req }: Context): Promise<never> {
  const { body } = req.raw;
  let size = 0;
  if (body !== null && !body.locked) {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > 2 * MAX_BODY_BYTES) break;
    }
  }
  throw new RequestRefused(413, 'body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}
