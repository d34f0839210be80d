import { setTimeout as delay } from 'node:timers/promises';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { errorAnswer, resultAnswer, submitAnswer, type LastFramePlace } from './answers';
import type { Faults } from './faults';
import type { FileValues } from './file-values';
import { openApiDocument } from './openapi-document';
import { readOrder, requireWorkflow } from './read-order';
import { RequestRefused } from './request-refused';
import { serveFile } from './serve-file';
import type { TaskDesk } from './task-desk';
import type { SandboxTask } from './task-journal';
import { parseResultAddress, parseRunAddress } from './workflow-address';

/** Largest request body in bytes: a few full-size frames as data URIs. The specification names no limit. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export interface AppOptions {
  readonly desk: TaskDesk;
  readonly faults: Faults;
  readonly fileValues: FileValues;
  readonly filesFolder: string;
  readonly lastFramePlace: LastFramePlace;
  readonly honourIdempotencyKey: boolean;
  readonly executeLimitMs: number;
  /** The only key that is accepted; undefined accepts any. */
  readonly apiKey: string | undefined;
}

/** Makes the HTTP side of the sandbox. Source: gateway specification, "Endpoints". */
export function createApp(options: AppOptions): Hono {
  const { desk, faults, filesFolder } = options;
  const app = new Hono();

  app.onError((error, context) => {
    const refused = error instanceof RequestRefused ? error : new RequestRefused(500, 'internal_error', error.message);
    const { retryAfterSeconds } = refused.details;
    if (retryAfterSeconds !== undefined) context.header('retry-after', String(retryAfterSeconds));
    return context.json(errorAnswer(refused), refused.status);
  });
  app.notFound((context) => {
    throw new RequestRefused(404, 'unknown_address', `Nothing answers ${context.req.method} ${context.req.path}.`);
  });

  app.get('/sandbox/health', (context) => context.json({ status: 'success' }));
  app.get('/sandbox/tasks', (context) => context.json({ tasks: desk.list() }));
  app.get('/files/:taskId/:name', ({ req }) => serveFile(filesFolder, req.param('taskId'), req.param('name'), req.raw));
  app.get('/openapi.json', (context) => context.json(openApiDocument()));

  app.use('/workflows/*', async (context, next) => {
    authenticate(context.req.header('authorization'), options.apiKey);
    const { delayMs, refusal } = faults.onRequest();
    if (delayMs > 0) await delay(delayMs);
    if (refusal) throw refusal;
    await next();
  });
  app.use('/workflows/*', bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuseLargeBody }));
  app.post('/workflows/*', (context) => answerRun(context, options));
  app.get('/workflows/*', (context) => answerResult(context, options));
  return app;
}

function authenticate(authorization: string | undefined, apiKey: string | undefined): void {
  const key = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (key === undefined) {
    throw new RequestRefused(401, 'unauthenticated', 'The header Authorization: Bearer <API_KEY> is needed.');
  }
  if (apiKey !== undefined && key !== apiKey) throw new RequestRefused(401, 'unauthenticated', 'The key is not known.');
}

async function answerRun(context: Context, options: AppOptions): Promise<Response> {
  const address = parseRunAddress(context.req.path);
  if (!address) return await context.notFound();
  const { model, parameters } = readOrder(address, await readJson(context));
  const { desk, fileValues, honourIdempotencyKey } = options;
  const idempotencyKey = context.req.header('idempotency-key') ?? null;

  const taken = await fileValues.takeIn(model, parameters);
  const known = honourIdempotencyKey && idempotencyKey !== null ? desk.findByKey(idempotencyKey) : undefined;
  if (known && (known.model !== model.id || JSON.stringify(known.parameters) !== JSON.stringify(taken))) {
    throw new RequestRefused(409, 'idempotency_conflict', 'This Idempotency-Key came with another request before.');
  }
  const task =
    known ??
    (await desk.accept({
      model,
      parameters: taken,
      mode: address.mode,
      idempotencyKey,
      fate: options.faults.onAccept(),
    }));

  if (address.mode === 'submit') return context.json(submitAnswer(task));
  const ended = await desk.ended(task.id, options.executeLimitMs);
  if (ended) return context.json(answerFor(ended, context, options));
  // The task goes on and is charged. Its id stays unsaid, as the caller of a timed-out gateway would not have it.
  throw new RequestRefused(504, 'execute_timeout', 'The task takes longer than execute waits; use submit.');
}

async function answerResult(context: Context, options: AppOptions): Promise<Response> {
  const address = parseResultAddress(context.req.path);
  if (!address) return await context.notFound();
  if (address.workflow !== null) requireWorkflow(address.workflow);
  const task = options.desk.find(address.taskId);
  if (!task || (address.workflow !== null && task.workflow !== address.workflow)) {
    const where = address.workflow === null ? '' : ` of workflow ${address.workflow}`;
    throw new RequestRefused(404, 'unknown_task', `There is no task ${address.taskId}${where}.`);
  }
  return context.json(answerFor(task, context, options));
}

/** Addresses of files are those that this caller can reach, whatever name and port the sandbox has for it. */
function answerFor(task: SandboxTask, context: Context, options: AppOptions) {
  const { origin } = new URL(context.req.url);
  return resultAnswer(task, `${origin}/files/${task.id}`, options.lastFramePlace);
}

async function readJson(context: Context): Promise<unknown> {
  const contentType = context.req.header('content-type') ?? 'none';
  if (!/^application\/json\b/i.test(contentType)) {
    throw new RequestRefused(
      415,
      'unsupported_media_type',
      `Content-Type is ${contentType}, application/json is needed.`,
    );
  }
  try {
    return await context.req.json<unknown>();
  } catch (error) {
    if (error instanceof RequestRefused) throw error;
    throw new RequestRefused(400, 'malformed_request', 'The body is no JSON.');
  }
}

function refuseLargeBody(): never {
  throw new RequestRefused(413, 'body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}
