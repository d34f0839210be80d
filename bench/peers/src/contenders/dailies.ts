import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connectDailies, type Dailies } from '../../../../dist/client';
import { MAX_PARALLEL } from '../../../../dist/contracts/render/batch';
import { type Decision } from '../../../../dist/contracts/render/decision';
import { type Config, readConfig } from '../../../../dist/workers/config/config';
import { main as runWorker } from '../../../../dist/workers/main';
import { runContender } from '../program';
import { filmPath, type Job, outputPath, type Shot, type Work } from '../work';

/**
 * Dailies as shipped: a worker and a client in one process. The client starts productions. If every job has one shot,
 * the client starts batches instead, enough of them to run all jobs at once. After a restart the client starts the same
 * productions or batches again, and joins those that are running.
 */
runContender(async (work, { ready, asked }) => {
  Object.assign(process.env, { TEMPORAL_ADDRESS: work.service ?? '' });
  const config = configFor(work);
  const worker = runWorker(config);
  const dailies = await connectDailies({ ...config, address: work.service ?? '', onNotice: () => undefined });
  while (!(await dailies.client.hasWorker())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  ready();
  const isBatch = work.jobs.every(({ shots }) => shots.length === 1);
  const person: Person = (key) => {
    asked();
    return answer(work, key);
  };
  const rendered = isBatch
    ? renderBatches(work, dailies, person)
    : Promise.all(work.jobs.map((job) => render(work, job, dailies)));
  await Promise.race([rendered, worker.then(() => Promise.reject(new Error('the worker has ended')))]);
});

const LOOK_EVERY_MS = 50;

function configFor(work: Work): Config {
  return readConfig({
    DAILIES_GATEWAY_URL: work.gatewayUrl,
    DAILIES_GATEWAY_KEY: work.gatewayKey,
    DAILIES_GATEWAY_ACCOUNT: 'bench',
    DAILIES_STORE: join(work.folder, 'store'),
    DAILIES_POLL_FLOOR_MS: String(work.pollMs),
  });
}

async function renderBatches(work: Work, dailies: Dailies, person: Person): Promise<void> {
  const batches = Array.from({ length: Math.ceil(work.jobs.length / MAX_PARALLEL) }, (_, index) =>
    work.jobs.slice(index * MAX_PARALLEL, (index + 1) * MAX_PARALLEL),
  );
  await Promise.all(
    batches.map((jobs, index) => renderBatch({ ...work, jobs }, `bench-${index + 1}`, dailies, person)),
  );
}

async function renderBatch(work: Work, id: string, dailies: Dailies, person: Person): Promise<void> {
  const file = join(work.folder, `${id}.json`);
  const shots = work.jobs.flatMap(({ shots }) => shots);
  const models = Object.fromEntries(shots.map(({ model, output }) => [model, { output }]));
  const generations = work.jobs.flatMap(({ id, shots }) =>
    shots.map(({ model, parameters }) => ({ key: id, model, ...parameters })),
  );
  await writeFile(file, JSON.stringify({ models, generations }));
  for (;;) {
    const { counts, parked, failures } = await dailies.batch(file, { parallel: work.jobs.length });
    if (counts.completed === work.jobs.length) break;
    if (parked.length === 0) throw new Error(`completed ${counts.completed}: ${failures[0]?.reason ?? 'no failures'}`);
    for (const { key } of parked) await dailies.resolve(id, key, await person(key));
  }
  const jobs = new Map(work.jobs.map((job) => [job.id, job]));
  for await (const { key, path } of dailies.batchResults(id)) {
    const job = jobs.get(key);
    const [shot] = job?.shots ?? [];
    if (job === undefined || shot === undefined || path === null) throw new Error(`row ${key} has no output`);
    await put(path, outputPath(work, job, shot));
  }
}

/**
 * Decides for a parked row as a person would. In this benchmark, a row parks if it is unknown whether the gateway
 * accepted a submit. A person would look at the gateway's list of tasks; `answer` reads that list.
 */
type Person = (key: string) => Promise<Decision>;

async function answer({ gatewayUrl, gatewayKey, jobs }: Work, key: string): Promise<Decision> {
  const list = await fetch(`${gatewayUrl}/sandbox/tasks`, { headers: { authorization: `Bearer ${gatewayKey}` } });
  const { tasks } = (await list.json()) as { tasks: readonly { id: string; parameters: { prompt: string } }[] };
  const prompt = jobs.find((job) => job.id === key)?.shots[0]?.parameters['prompt'];
  const accepted = tasks.find(({ parameters }) => parameters.prompt === prompt);
  return accepted === undefined ? { kind: 'resubmit' } : { kind: 'adopt', taskId: accepted.id };
}

async function render(work: Work, job: Job, dailies: Dailies): Promise<void> {
  const file = join(work.folder, `${job.id}.json`);
  await writeFile(file, JSON.stringify({ id: job.id, title: job.id, shots: job.shots.map(shotOf) }));
  const { shots, film } = await dailies.renderProduction(file);
  for (const shot of job.shots) {
    const take = shots.find(({ id }) => id === shot.id)?.takes.at(-1);
    if (take?.asset == null) throw new Error(`shot ${shot.id} of ${job.id} has no clip`);
    await put(take.asset.path, outputPath(work, job, shot));
  }
  if (!job.film) return;
  if (film === null) throw new Error(`${job.id} has no film`);
  await put(film.path, filmPath(work, job));
}

function shotOf({ id, model, parameters, startsOn }: Shot): unknown {
  const startFrame = startsOn === null ? {} : { startFrame: { lastFrameOf: startsOn } };
  return { id, model, ...parameters, ...startFrame };
}

async function put(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
}
