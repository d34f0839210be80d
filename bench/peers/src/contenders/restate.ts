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
 * Restate: a workflow for each job, whose steps and waits stand in the journal of the Restate server.
 *
 * Follows docs.restate.dev: develop/ts/durable-steps (ctx.run for all that touches the world), develop/ts/durable-timers,
 * develop/ts/concurrent-tasks (work side by side), services/invocation/clients/typescript-sdk (workflows by key) and
 * admin-api/deployment/register-deployment; the SDK's types for the HTTP/2 endpoint and for RestatePromise.all.
 *
 * A restart: the server has kept calling the address of this program, and replays each journal there once it listens again;
 * a handler goes on after its last step whose result is in the journal. A step that had begun runs once more: a submit whose
 * answer was not yet recorded is sent, and paid, again. Workflows are submitted with the same keys, which joins those that are there.
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

/** For what costs nothing. Restate retries without end by default, also a task that has failed for good. */
const RETRIED = { maxRetryDuration: { minutes: 10 } };

interface From {
  readonly job: Job;
  readonly shot: Shot;
}

// The clients' types take no interfaces.
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

/** One shot goes on in the same handler; of several, each gets one, for their steps have no order. */
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
  // As Restate has it by default: again until it is accepted.
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

/** The server calls this program at the port under which it was registered, also after a restart. */
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

/** The SDK takes this of Node.js 22 for granted; Dailies, and so its benchmark, runs on Node.js 20 too. */
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
