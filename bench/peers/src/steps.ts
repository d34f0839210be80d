import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { assemble, type Ffmpeg, findFfmpeg, lastFrame } from '../../../dist/media';
import { filmPath, framePath, type Job, outputPath, type Shot, type Work } from './work';

/**
 * Gateway and ffmpeg steps of all contenders but Dailies. Each contender runs, repeats and records them in its own way.
 */

/** The output of a completed task: the address of a file, or a text. */
export type TaskEnd = { readonly url: string } | { readonly text: string };

/** A refusal, or a task that failed or has no output. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';

  constructor(
    message: string,
    /** Absent if a task has failed or has no output. */
    readonly refusal?: { readonly status: number; readonly retryAfter: string | null },
  ) {
    super(message);
  }
}

/**
 * Sends one task, which costs credits. @returns the task's id. @throws GatewayError; TypeError if there is no answer.
 */
export async function submit(work: Work, job: Job, shot: Shot): Promise<string> {
  const startFrame = shot.startsOn === null ? {} : { startFrame: await dataUri(framePath(work, job, shot.startsOn)) };
  const { response } = await request(work, '/workflows/v1/models/submit', {
    params: { model: shot.model, params: { ...shot.parameters, ...startFrame } },
  });
  return response.id;
}

/**
 * Reads a result once.
 *
 * @returns undefined while the task runs.
 * @throws GatewayError, also if the task has failed; TypeError if there is no answer.
 */
export async function look(work: Work, taskId: string): Promise<TaskEnd | undefined> {
  const { response } = await request(work, `/workflows/v1/models/${taskId}/result`);
  if (response.status === 'FAILED') throw new GatewayError(`task ${taskId} has failed`);
  if (response.status !== 'COMPLETED') return undefined;
  const { url, text } = response.result ?? {};
  if (url !== undefined) return { url };
  if (text !== undefined) return { text };
  throw new GatewayError(`task ${taskId} has no output`);
}

/** Puts the output of a shot in place, complete or not at all. */
export async function download(work: Work, job: Job, shot: Shot, end: TaskEnd): Promise<void> {
  const path = outputPath(work, job, shot);
  const part = `${path}.part`;
  await mkdir(dirname(path), { recursive: true });
  if ('text' in end) {
    await writeFile(part, end.text);
  } else {
    const answer = await fetch(end.url);
    if (!answer.ok || answer.body === null) throw refused(end.url, answer);
    await pipeline(Readable.fromWeb(answer.body), createWriteStream(part));
  }
  await rename(part, path);
}

/** Cuts the last frame of a shot's clip, if another shot starts on this frame. */
export async function takeLastFrame(work: Work, job: Job, shot: Shot): Promise<void> {
  if (!job.shots.some(({ startsOn }) => startsOn === shot.id)) return;
  await lastFrame(await ffmpeg(), outputPath(work, job, shot), framePath(work, job, shot.id));
}

/** Joins the clips of a job into a film as Dailies does, if the job has a film. */
export async function join(work: Work, job: Job): Promise<void> {
  if (!job.film) return;
  const clips = job.shots.map((shot) => ({
    path: outputPath(work, job, shot),
    chapter: shot.id,
    continuesPrevious: shot.startsOn !== null,
  }));
  const spec = { clips, transition: { kind: 'cut' }, metadataTitle: job.id, subtitles: false, output: {} } as const;
  await assemble(await ffmpeg(), spec, filmPath(work, job));
}

interface Answer {
  readonly response: {
    readonly id: string;
    readonly status: string;
    readonly result?: { readonly url?: string; readonly text?: string };
  };
}

async function request({ gatewayUrl, gatewayKey }: Work, path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${gatewayKey}`, 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${gatewayUrl}${path}`, { ...init, headers });
  if (!answer.ok) throw refused(path, answer);
  return (await answer.json()) as Answer;
}

function refused(path: string, { status, headers }: Response): GatewayError {
  return new GatewayError(`${path} answered ${status}`, { status, retryAfter: headers.get('retry-after') });
}

async function dataUri(pngPath: string): Promise<string> {
  return `data:image/png;base64,${(await readFile(pngPath)).toString('base64')}`;
}

let found: Promise<Ffmpeg> | undefined;

function ffmpeg(): Promise<Ffmpeg> {
  return (found ??= findFfmpeg());
}
