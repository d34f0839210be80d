import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runContender } from '../program';
import { download, join, takeLastFrame, type TaskEnd } from '../steps';
import { filmPath, framePath, type Job, outputPath, type Shot, type Work } from '../work';

/**
 * A careful script around a gateway's client. It renders all shots at once, but the shots of a chain in order, and
 * renames each file into place when the file is complete.
 *
 * These files are the script's only state. After a restart, the script skips shots whose output exists and buys the
 * others again, including shots that were in progress.
 */

/** A gateway's client: it submits a shot, with its own retries, and polls until the task has ended. */
export interface Client {
  readonly render: (work: Work, job: Job, shot: Shot) => Promise<TaskEnd>;
  /** Retries of downloads. The client does not retry downloads; the script retries them as the client retries reads. */
  readonly readRetry: Retry;
}

/** The retry policy of a client's requests. */
export interface Retry {
  /** Retries after the first attempt. */
  readonly times: number;
  readonly isTransient: (error: unknown) => boolean;
  /** @param attempt from 0 */
  readonly delayMs: (attempt: number, error: unknown) => number;
}

export function runPlain(client: Client): void {
  runContender(async (work, { ready }) => {
    ready();
    await all(work.jobs.map((job) => makeJob(work, job, client)));
  });
}

export async function retrying<T>(retry: Retry, step: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (attempt === retry.times || !retry.isTransient(error)) throw error;
      await sleep(retry.delayMs(attempt, error));
    }
  }
}

async function makeJob(work: Work, job: Job, client: Client): Promise<void> {
  const made = new Map<string | null, Promise<void>>([[null, Promise.resolve()]]);
  for (const shot of job.shots) {
    const before =
      made.get(shot.startsOn) ??
      Promise.reject(new Error(`${shot.id} starts on ${String(shot.startsOn)}, which is not an earlier shot`));
    made.set(
      shot.id,
      before.then(() => makeShot(work, job, shot, client)),
    );
  }
  await all([...made.values()]);
  if (!(await isThere(filmPath(work, job)))) await join(work, job);
}

async function makeShot(work: Work, job: Job, shot: Shot, { render, readRetry }: Client): Promise<void> {
  if (!(await isThere(outputPath(work, job, shot)))) {
    const end = await render(work, job, shot);
    await retrying(readRetry, () => download(work, job, shot, end));
  }
  if (!(await isThere(framePath(work, job, shot.id)))) await takeLastFrame(work, job, shot);
}

/** Waits for all promises, even if one fails, so that all paid tasks are downloaded. @throws the first failure. */
async function all(promises: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(promises);
  await Promise.all(promises);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
