import { DBOS } from '@dbos-inc/dbos-sdk';
import { runContender } from '../program';
import { download, join, look, submit, takeLastFrame } from '../steps';
import { type Job, type Shot, type Work } from '../work';

/**
 * DBOS Transact: a workflow for each job, whose steps and waits stand in PostgreSQL.
 *
 * Follows docs.dbos.dev: typescript/tutorials/workflow-tutorial (steps for all that touches the world, workflow ids, starts
 * in the background) and self-hosting (the same executor id recovers what it had under way); the SDK's README (durable
 * sleep), and its types for retries, which are asked for step by step, and for the pool.
 *
 * typescript/tutorials/queue-tutorial has a queue where many run at once, to limit them. Here all may be under way, so jobs
 * are started directly: in a trial 200 text jobs took 0.9 s, and 1.8 s to 2.8 s by a queue polled each 100 ms.
 *
 * A restart: launch() puts the workflows that were under way on DBOS's recovery queue; each goes on after its last step
 * whose result is in the database. A step that had begun runs once more: a submit whose answer was not yet recorded is
 * sent, and paid, again. Workflows are started with the same ids, so those that are there are joined.
 */
runContender(async (work, { ready }) => {
  // Its own pool draws a deprecation warning from pg 8.
  process.noDeprecation = true;
  const render = registerWorkflows(work);
  DBOS.setConfig({
    name: 'dailies-bench',
    systemDatabaseUrl: work.service ?? '',
    systemDatabasePoolSize: CONNECTIONS,
    applicationVersion: '1',
    executorID: 'bench',
    logLevel: 'error',
  });
  await DBOS.launch();
  ready();
  const handles = await Promise.all(work.jobs.map((job) => DBOS.startWorkflow(render, { workflowID: job.id })(job)));
  await Promise.all(handles.map((handle) => handle.getResult()));
});

/** In a trial, 500 text jobs took 2.1 s with the 10 that DBOS has by default, 1.7 s with 20, and no less with 40. */
const CONNECTIONS = 20;

/** Eight and a half minutes, for what costs nothing. */
const RETRIED = { retriesAllowed: true, maxAttempts: 10, intervalSeconds: 1, backoffRate: 2 };

/** @returns the workflow of a job. */
function registerWorkflows(work: Work): (job: Job) => Promise<void> {
  const renderFrom = DBOS.registerWorkflow(
    async (job: Job, shot: Shot): Promise<void> => {
      await renderShot(work, job, shot);
      await renderShots(job, shotsAfter(job, shot.id));
    },
    { name: 'renderFrom' },
  );

  /** One shot goes on in the same workflow; of several, each gets one, for their steps have no order. */
  async function renderShots(job: Job, shots: readonly Shot[]): Promise<void> {
    const [first, ...others] = shots;
    if (first === undefined) return;
    if (others.length === 0) {
      await renderShot(work, job, first);
      return renderShots(job, shotsAfter(job, first.id));
    }
    const handles = [];
    for (const shot of shots) {
      handles.push(await DBOS.startWorkflow(renderFrom, { workflowID: `${job.id}/${shot.id}` })(job, shot));
    }
    for (const handle of handles) await handle.getResult();
  }

  return DBOS.registerWorkflow(
    async (job: Job): Promise<void> => {
      await renderShots(job, shotsAfter(job, null));
      if (job.film) await DBOS.runStep(() => join(work, job), { name: 'join', ...RETRIED });
    },
    { name: 'render' },
  );
}

async function renderShot(work: Work, job: Job, shot: Shot): Promise<void> {
  // As DBOS has it by default: once, and an error ends the workflow.
  const taskId = await DBOS.runStep(() => submit(work, job, shot), { name: 'submit' });
  const lookOnce = async () => (await look(work, taskId)) ?? null;
  let end = await DBOS.runStep(lookOnce, { name: 'look', ...RETRIED });
  while (end === null) {
    await DBOS.sleep(work.pollMs);
    end = await DBOS.runStep(lookOnce, { name: 'look', ...RETRIED });
  }
  const output = end;
  await DBOS.runStep(() => download(work, job, shot, output), { name: 'download', ...RETRIED });
  if (shotsAfter(job, shot.id).length === 0) return;
  await DBOS.runStep(() => takeLastFrame(work, job, shot), { name: 'takeLastFrame', ...RETRIED });
}

function shotsAfter({ shots }: Job, shotId: string | null): Shot[] {
  return shots.filter(({ startsOn }) => startsOn === shotId);
}
