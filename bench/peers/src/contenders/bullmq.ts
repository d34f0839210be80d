import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import {
  DelayedError,
  FlowProducer,
  type Job as Entry,
  type JobsOptions,
  Queue,
  UnrecoverableError,
  Worker,
} from 'bullmq';
import { Redis } from 'ioredis';
import { runContender } from '../program';
import { download, GatewayError, join, look, submit, takeLastFrame } from '../steps';
import { filmPath, type Job, outputPath, type Shot, type Work } from '../work';

/**
 * BullMQ on Redis. A shot is a process-step job, which records its completed steps in its data. Between polls the job
 * is in the delayed set and occupies no worker slot. A completed shot adds the shots that start on its last frame. The
 * film is the parent job of its shots and waits for them.
 *
 * After a restart the program adds the same jobs. BullMQ ignores them, because their ids exist. Delayed and waiting
 * jobs continue at once. Jobs that were active at the kill continue from their last step when BullMQ counts them as
 * stalled, 60 to 90 s later. A submit that was not answered before the kill is sent again.
 *
 * Source: docs.bullmq.io, "Process Step jobs" (Delaying), "Flows", "Job Ids", "Auto-removal of jobs", "Retrying failing
 * jobs" (Custom back-off strategies), "Stop retrying jobs", "Stalled", "Parallelism and Concurrency", "Connections"
 * (Reusing an ioredis connection), "Going to production".
 */

/** BullMQ's advice for jobs that mostly wait: "Something between 100 and 300 is a quite standard setting". */
const SHOTS_AT_ONCE = 300;

/** BullMQ's default is one: a job that stalls twice, for example by two kills, fails. */
const MOST_STALLS = 10;

const JOB_OPTIONS: JobsOptions = {
  // All steps of a job share its attempts, so there must be enough for the failed polls of a long task.
  attempts: 20,
  backoff: { type: 'custom' },
  // BullMQ knows an id only while its job is kept.
  removeOnComplete: { age: 24 * 3_600 },
};

/** HTTP statuses of refusals that a retry would not change. */
const FINAL_STATUSES: readonly number[] = [400, 401, 402, 403, 404, 422];

interface FilmData {
  readonly job: string;
}

interface ShotData {
  readonly job: string;
  readonly shot: string;
  /** Set when the shot is submitted. */
  readonly taskId?: string;
  /** True when the shot's output is in place. */
  readonly isDownloaded?: boolean;
}

runContender(async (work, { ready }) => {
  const connection = new Redis(work.service ?? '', { maxRetriesPerRequest: null });
  const shots = new Queue<ShotData>('shots', { connection });
  const films = new Queue<FilmData>('films', { connection });
  const flows = new FlowProducer({ connection });
  const { jobOf, shotOf } = readers(work);

  const workerOptions = { connection, maxStalledCount: MOST_STALLS, settings: { backoffStrategy: backOffMs } };
  const shotWorker = new Worker<ShotData>(
    shots.name,
    async (entry, token) => {
      const job = jobOf(entry.data);
      await makeShot(work, job, shotOf(entry.data), entry, token);
      const ofFilm = job.film ? { parent: { id: filmId(job), queue: films.qualifiedName } } : {};
      const next = entriesOf(job, entry.data.shot).map((added) => ({ ...added, opts: { ...added.opts, ...ofFilm } }));
      if (next.length > 0) await shots.addBulk(next);
    },
    { ...workerOptions, concurrency: SHOTS_AT_ONCE },
  );
  const filmWorker = new Worker<FilmData>(films.name, (entry) => join(work, jobOf(entry.data)), {
    ...workerOptions,
    concurrency: availableParallelism(),
  });
  const goal = createGoal(work);
  follow(shotWorker, goal, jobOf, (data) => outputPath(work, jobOf(data), shotOf(data)));
  follow(filmWorker, goal, jobOf, (data) => filmPath(work, jobOf(data)));
  for (const queue of [shots, films]) queue.on('error', tell);
  flows.on('error', tell);
  await Promise.all([shotWorker.waitUntilReady(), filmWorker.waitUntilReady()]);
  ready();

  // BullMQ leaves the retry of finally failed jobs to a person. In the benchmark, each restart retries these jobs.
  await Promise.all([shots.retryJobs(), films.retryJobs()]);
  await Promise.all([flows.addBulk(work.jobs.flatMap(flowOf)), goal.reached]);

  function flowOf(job: Job): Parameters<typeof flows.add>[0][] {
    const children = entriesOf(job, null).map((entry) => ({ ...entry, queueName: shots.name }));
    if (!job.film) return children;
    const data: FilmData = { job: job.id };
    return [{ name: 'film', queueName: films.name, data, opts: { ...JOB_OPTIONS, jobId: filmId(job) }, children }];
  }
});

/** Finds the work's job and shot by the data of an entry, which is a job of BullMQ. */
function readers(work: Work): { jobOf: (data: FilmData) => Job; shotOf: (data: ShotData) => Shot } {
  const jobs = new Map(work.jobs.map((job) => [job.id, job]));
  const shots = new Map(work.jobs.flatMap((job) => job.shots.map((shot) => [entryId(job, shot), shot] as const)));
  const jobOf = ({ job: id }: FilmData): Job => {
    const job = jobs.get(id);
    if (job === undefined) throw new UnrecoverableError(`job ${id} is not in the work`);
    return job;
  };
  const shotOf = (data: ShotData): Shot => {
    const shot = shots.get(entryId({ id: data.job }, { id: data.shot }));
    if (shot === undefined) throw new UnrecoverableError(`shot ${data.shot} of ${data.job} is not in the work`);
    return shot;
  };
  return { jobOf, shotOf };
}

/** BullMQ allows neither colons in ids nor ids of digits only. */
function entryId({ id: job }: Pick<Job, 'id'>, { id: shot }: Pick<Shot, 'id'>): string {
  return `${job}/${shot}`;
}

function filmId({ id }: Job): string {
  return `${id}/film`;
}

/** Entries for the shots that start on the last frame of shot `startsOn`; if null, for shots that start on no frame. */
function entriesOf(job: Job, startsOn: string | null): { name: string; data: ShotData; opts: JobsOptions }[] {
  return job.shots
    .filter((shot) => shot.startsOn === startsOn)
    .map((shot) => ({
      name: 'shot',
      data: { job: job.id, shot: shot.id },
      opts: { ...JOB_OPTIONS, jobId: entryId(job, shot) },
    }));
}

/**
 * Continues a shot: skips the steps that `entry.data` records as completed.
 *
 * @throws DelayedError while the task runs; UnrecoverableError if the task failed or the gateway refuses for good.
 */
async function makeShot(work: Work, job: Job, shot: Shot, entry: Entry<ShotData>, token?: string): Promise<void> {
  const taskId = await taskOf(work, job, shot, entry);
  if (entry.data.isDownloaded !== true) {
    // Read the task again before each download: the output's address may have expired.
    const end = await look(work, taskId).catch(giveUpWhereFinal);
    if (end === undefined) {
      await entry.moveToDelayed(Date.now() + work.pollMs, token);
      throw new DelayedError();
    }
    await download(work, job, shot, end);
    await entry.updateData({ ...entry.data, isDownloaded: true });
  }
  await takeLastFrame(work, job, shot);
}

async function taskOf(work: Work, job: Job, shot: Shot, entry: Entry<ShotData>): Promise<string> {
  if (entry.data.taskId !== undefined) return entry.data.taskId;
  const taskId = await submit(work, job, shot).catch(giveUpWhereFinal);
  await entry.updateData({ ...entry.data, taskId });
  return taskId;
}

/**
 * Doubles the delay up to 10 s. The built-in backoff has no maximum. The delays of all attempts add up to about two
 * minutes.
 */
function backOffMs(attemptsMade: number): number {
  return Math.min(1_000 * 2 ** (attemptsMade - 1), 10_000) * (1 - Math.random() / 2);
}

/** Gives up on failed tasks and on refusals that a retry does not change. */
function giveUpWhereFinal(error: unknown): never {
  const isFinal =
    error instanceof GatewayError && (error.refusal === undefined || FINAL_STATUSES.includes(error.refusal.status));
  throw isFinal ? new UnrecoverableError(error.message) : error;
}

interface Goal {
  /** Settles when every job has completed or finally failed. Rejects with the first final failure, if there was one. */
  readonly reached: Promise<void>;
  arrive(path: string): void;
  giveUp(job: Job, error: Error): void;
}

function createGoal(work: Work): Goal {
  const missing = new Set(work.jobs.flatMap((job) => placesOf(work, job)).filter((path) => !existsSync(path)));
  let failure: Error | undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  if (missing.size === 0) end();
  const strike = (path: string): void => {
    missing.delete(path);
    if (missing.size === 0) end();
  };
  return {
    reached: ended.then(() => {
      if (failure !== undefined) throw failure;
    }),
    arrive: strike,
    giveUp(job, error) {
      failure ??= error;
      placesOf(work, job).forEach(strike);
    },
  };
}

function placesOf(work: Work, job: Job): string[] {
  const outputs = job.shots.map((shot) => outputPath(work, job, shot));
  return job.film ? [...outputs, filmPath(work, job)] : outputs;
}

/** Reports to the goal every entry that a worker has completed or given up. */
function follow<Data extends FilmData>(
  worker: Worker<Data>,
  goal: Goal,
  jobOf: (data: FilmData) => Job,
  placeOf: (data: Data) => string,
): void {
  worker.on('error', tell);
  worker.on('completed', ({ data }) => {
    goal.arrive(placeOf(data));
  });
  worker.on('failed', (entry, error) => {
    // `finishedOn` is not set if the job will be retried.
    if (entry?.finishedOn !== undefined) goal.giveUp(jobOf(entry.data), error);
  });
}

function tell(error: Error): void {
  process.stderr.write(`${error.message}\n`);
}
