import * as restate from '@restatedev/restate-sdk';
import * as clients from '@restatedev/restate-sdk-clients';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http2';
import { join as joinPath } from 'node:path';
import { runContender } from '../program';
import { freePort } from '../services/free-port';
import { download, join, look, submit, takeLastFrame } from '../steps';
import { type Job, type Shot, type Work } from '../work';

/**
 * Restate: one workflow per job, with its steps and waits in the journal of the Restate server.
 *
 * Follows docs.restate.dev: develop/ts/durable-steps (ctx.run for all side effects), develop/ts/durable-timers,
 * develop/ts/concurrent-tasks (parallel work), services/invocation/clients/typescript-sdk (workflows by key) and
 * admin-api/deployment/register-deployment. For the HTTP/2 endpoint and RestatePromise.all, it follows the SDK's types.
 *
 * While this program is down, the Restate server keeps calling the program's address. After a restart the server
 * replays each journal there. A handler continues after the last step whose result is in the journal. A step that had
 * begun runs again, so a submit whose answer was not recorded is sent and paid for again. The restarted program submits
 * workflows with the same keys, and so joins the existing workflows.
 */
runContender(async (work, { ready }) => {
  standInForNode22();
  const address = new URL(work.service ?? '');
  const port = await ownPort(work);
  const handler = restate.createEndpointHandler({ services: defineServices(work), logger: logErrors });
  const server = createServer(handler).listen(port, '127.0.0.1');
  await once(server, 'listening');
  await register(`http://127.0.0.1:${address.searchParams.get('admin') ?? ''}`, `http://127.0.0.1:${port}`);
  ready();
  const ingress = clients.connect({ url: address.origin, retry: { maxAttempts: false, maxDuration: false } });
  await Promise.all(
    work.jobs.map(async (job) => {
      const workflow = ingress.workflowClient<Render>({ name: 'render' }, job.id);
      await workflow.workflowSubmit(job);
      await workflow.workflowAttach();
    }),
  );
});

/** Retries of steps that cost nothing. By default Restate retries without end, even if a task has failed for good. */
const RETRIED = { maxRetryDuration: { minutes: 10 } };

interface From {
  readonly job: Job;
  readonly shot: Shot;
}

// These are type aliases, because the types of Restate's clients do not accept interfaces.
type RenderFrom = { readonly run: (ctx: restate.Context, from: From) => Promise<void> };
type Render = { readonly run: (ctx: restate.WorkflowContext, job: Job) => Promise<void> };

function defineServices(work: Work): restate.EndpointOptions['services'] {
  const renderFrom = restate.service({
    name: 'renderFrom',
    handlers: {
      run: async (ctx: restate.Context, { job, shot }: From): Promise<void> => {
        await renderShot(ctx, work, job, shot);
        await renderShots(ctx, work, job, shotsAfter(job, shot.id));
      },
    },
  });
  const render = restate.workflow({
    name: 'render',
    handlers: {
      run: async (ctx: restate.WorkflowContext, job: Job): Promise<void> => {
        await renderShots(ctx, work, job, shotsAfter(job, null));
        if (job.film) await ctx.run('join', () => join(work, job), RETRIED);
      },
    },
  });
  return [render, renderFrom];
}

/**
 * A single shot continues in the same handler. Several shots each get a handler, because Restate needs the steps of a
 * handler in a fixed order.
 */
async function renderShots(ctx: restate.Context, work: Work, job: Job, shots: readonly Shot[]): Promise<void> {
  const [first, ...others] = shots;
  if (first === undefined) return;
  if (others.length === 0) {
    await renderShot(ctx, work, job, first);
    return renderShots(ctx, work, job, shotsAfter(job, first.id));
  }
  await restate.RestatePromise.all(
    shots.map((shot) => ctx.serviceClient<RenderFrom>({ name: 'renderFrom' }).run({ job, shot })),
  );
}

async function renderShot(ctx: restate.Context, work: Work, job: Job, shot: Shot): Promise<void> {
  // Restate's default repeats the step until the submit is accepted.
  const taskId = await ctx.run('submit', () => submit(work, job, shot));
  const lookOnce = async () => (await look(work, taskId)) ?? null;
  let end = await ctx.run('look', lookOnce, RETRIED);
  while (end === null) {
    await ctx.sleep(work.pollMs);
    end = await ctx.run('look', lookOnce, RETRIED);
  }
  const output = end;
  await ctx.run('download', () => download(work, job, shot, output), RETRIED);
  if (shotsAfter(job, shot.id).length === 0) return;
  await ctx.run('takeLastFrame', () => takeLastFrame(work, job, shot), RETRIED);
}

function shotsAfter({ shots }: Job, shotId: string | null): Shot[] {
  return shots.filter(({ startsOn }) => startsOn === shotId);
}

/** The port at which Restate calls this program. A restarted program must listen at the same port. */
async function ownPort({ folder }: Work): Promise<number> {
  const path = joinPath(folder, 'port');
  const known = await readFile(path, 'utf8').catch(() => undefined);
  if (known !== undefined) return Number(known);
  const port = await freePort();
  await writeFile(path, String(port));
  return port;
}

async function register(adminUrl: string, uri: string): Promise<void> {
  const answer = await fetch(`${adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri }),
  });
  if (!answer.ok) throw new Error(`Restate answered ${answer.status} to the registration: ${await answer.text()}`);
}

const ERRORS: ReadonlySet<string> = new Set(['error']);

function logErrors({ level }: restate.LogMetadata, ...words: readonly unknown[]): void {
  if (ERRORS.has(level)) process.stderr.write(`${words.map(String).join(' ')}\n`);
}

/** Adds `Promise.withResolvers`, which the SDK needs and Node.js 20 lacks. */
function standInForNode22(): void {
  if ('withResolvers' in Promise) return;
  Object.defineProperty(Promise, 'withResolvers', {
    value: () => {
      const settle: { resolve?: unknown; reject?: unknown } = {};
      const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
      return { promise, ...settle };
    },
  });
}
