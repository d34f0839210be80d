import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { EXECUTE_LIMIT_MS } from '../contracts/gateway/wire';
import { findFfmpeg } from '../media/find-ffmpeg';
import type { LastFramePlace } from './http/answers';
import { createApp } from './http/create-app';
import { createFaults, type FaultControl, type FaultOptions } from './faults/create-faults';
import { createFileValues } from './tasks/file-values';
import { openListener } from './listener';
import { renderTask } from './rendering/render-task';
import { SANDBOX_MODELS } from './sandbox-models';
import { TaskRunner, type UnfinishedCounts } from './tasks/task-runner';
import { openTaskJournal, type SandboxTask } from './tasks/task-journal';
import { createReadLog, type TaskReads } from './tasks/read-log';

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

export interface SandboxOptions {
  /** Folder that keeps tasks, given files and output across restarts. Only one sandbox at a time may use the folder. */
  readonly folder: string;
  /** @default 0, any free port */
  readonly port?: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** The only accepted key. @default any key */
  readonly apiKey?: string;
  readonly ffmpegPath?: string;
  /** Minimum duration of a task, counted from acceptance. @default 'fast', no minimum */
  readonly renderSeconds?: number | 'fast' | ((task: SandboxTask) => number);
  /** @default 'lastFrame.url' */
  readonly lastFramePlace?: LastFramePlace;
  /** Whether a repeated Idempotency-Key returns the first task. @default false, every accepted POST is charged */
  readonly honourIdempotencyKey?: boolean;
  /**
   * Contrast factor of every clip that starts on a frame: a chain of clips then drifts in contrast. These clips show
   * their start frame instead of a scene. @default none; the start frame dissolves into the scene
   */
  readonly contrastDrift?: number;
  /**
   * `plain` takes milliseconds, for cases in which the content of pictures does not matter. Plain output has one color;
   * a clip starts and ends with its given frames. Plain clips have about a quarter of the width and height, and no
   * audible sound. Plain and painted output have the same length, container, frame count and price. With
   * `contrastDrift`, all output is painted.
   * @default 'painted'
   */
  readonly pictures?: 'painted' | 'plain';
  readonly faults?: FaultOptions;
  /** @default EXECUTE_LIMIT_MS */
  readonly executeLimitMs?: number;
  /** Maximum number of unfinished tasks; further submit and execute requests are answered 429. @default no limit */
  readonly maxUnfinished?: number;
}

export interface Sandbox {
  /** Base address without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The accepted tasks, in order of acceptance. */
  tasks(): readonly SandboxTask[];
  /** Counts of unfinished tasks, and of requests that `maxUnfinished` refused. */
  counts(): UnfinishedCounts;
  /** A task's reads since the sandbox started, up to the read that first reported the task's end. */
  readsOf(taskId: string): TaskReads;
  /** Injects and removes faults, as `/sandbox/faults` does over HTTP. */
  readonly faults: FaultControl;
  /** Stops answering and rendering. Unfinished tasks run again when a sandbox next opens the folder. */
  close(): Promise<void>;
}

/**
 * Starts a stand-in gateway that follows the specification and renders real clips.
 *
 * @throws FfmpegMissingError; z.ZodError for invalid `faults`; an error with code EADDRINUSE if the port is taken.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { folder, host = '127.0.0.1', renderSeconds = 'fast', contrastDrift } = options;
  const pictures = contrastDrift === undefined ? (options.pictures ?? 'painted') : 'painted';
  const faults = createFaults(options.faults);
  const ffmpeg = await findFfmpeg({ ffmpegPath: options.ffmpegPath });
  const filesFolder = join(folder, 'files');
  await mkdir(filesFolder, { recursive: true });
  const fileValues = await createFileValues(join(folder, 'inputs'));

  const runner = new TaskRunner({
    journal: await openTaskJournal(join(folder, 'tasks.jsonl')),
    minTaskSeconds:
      typeof renderSeconds === 'function' ? renderSeconds : () => (renderSeconds === 'fast' ? 0 : renderSeconds),
    maxUnfinished: options.maxUnfinished ?? Infinity,
    render: (task, signal) =>
      renderTask(workOf(task), {
        ffmpeg,
        fileValues,
        folder: join(filesFolder, task.id),
        taskId: task.id,
        contrastDrift,
        pictures,
        signal,
      }),
  });
  const readLog = createReadLog();
  const app = createApp({
    runner,
    faults,
    fileValues,
    filesFolder,
    readLog,
    lastFramePlace: options.lastFramePlace ?? 'lastFrame.url',
    honourIdempotencyKey: options.honourIdempotencyKey ?? false,
    executeLimitMs: options.executeLimitMs ?? EXECUTE_LIMIT_MS,
    apiKey: options.apiKey,
    isLocal: LOOPBACK.has(host),
    listener: () => listener,
  });

  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  const listener = await openListener(server, options.port ?? 0, host).catch(async (error: unknown) => {
    await runner.close();
    throw error;
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    port: listener.port,
    tasks: () => runner.list(),
    counts: () => runner.counts(),
    readsOf: (taskId) => readLog.readsOf(taskId),
    faults,
    async close() {
      await Promise.all([listener.close(), runner.close()]);
    },
  };
}

/** Derives the work from the task's record, since the task may be older than this process. */
function workOf(task: SandboxTask) {
  const model = SANDBOX_MODELS.find(({ id }) => id === task.model);
  if (!model) throw new Error(`This sandbox has no model ${task.model}.`);
  return model.work(task.parameters);
}
