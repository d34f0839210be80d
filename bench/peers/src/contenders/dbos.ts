import { DBOS } from '@dbos-inc/dbos-sdk';
import { runContender } from '../program';
import { download, join, look, submit, takeLastFrame } from '../steps';
import { type Job, type Shot, type Work } from '../work';

/**
 * DBOS Transact: one workflow per job, with its steps and waits in PostgreSQL.
 *
 * Follows these sources:
 * - docs.dbos.dev, typescript/tutorials/workflow-tutorial: steps for all side effects, workflow ids, background starts
 * - docs.dbos.dev, self-hosting: the same executor id recovers its workflows
 * - the SDK's README: durable sleep
 * - the SDK's types: the pool, and retries per step
 *
 * typescript/tutorials/queue-tutorial uses a queue to limit concurrency. Here all jobs may run at once, so the program
 * starts workflows directly. In a trial, 200 text jobs took 0.9 s without a queue, and 1.8 s to 2.8 s with a queue
 * polled every 100 ms.
 *
 * After a restart, launch() puts unfinished workflows on DBOS's recovery queue. Each workflow continues after its last
 * step whose result is in the database. A step that had begun runs again, so a submit whose answer was not recorded is
 * sent, and paid, again. The program starts workflows with the same ids, and so joins the existing workflows.
 */
runContender(async (work, { ready }) => {
  // DBOS's own pool causes a deprecation warning in pg 8.
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

/** Pool size. In a trial, 500 text jobs took 2.1 s with DBOS's default of 10, 1.7 s with 20, and no less with 40. */
const CONNECTIONS = 20;

/** Retries for eight and a half minutes, for steps that cost nothing. */
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

  /**
   * A single shot continues in the same workflow. Several shots each get a workflow, because DBOS needs the steps of a
   * workflow in a fixed order.
   */
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
  // DBOS's default: one attempt, and an error ends the workflow.
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
