import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createLimiter } from '../../media/limiter';
import { FileUnusable } from '../http/fetch-file';
import { creditsFor } from '../price';
import type { TaskRequest } from '../http/read-task-request';
import { RequestRefused } from '../http/request-refused';
import type { Fate, SandboxTask, TaskError, TaskJournal, TaskOutput } from './task-journal';
import type { Mode } from '../http/workflow-address';

export interface Acceptance extends TaskRequest, Pick<SandboxTask, 'idempotencyKey' | 'fate' | 'answerFault'> {
  readonly mode: Mode;
}

/** Accepts and records tasks, and renders them in order of acceptance, at most one per core at the same time. */
export interface TaskRunner {
  /** @throws RequestRefused 429 if too many tasks are unfinished; the disk's error if the task cannot be recorded. */
  accept(acceptance: Acceptance): Promise<SandboxTask>;
  find(taskId: string): SandboxTask | undefined;
  findByKey(idempotencyKey: string): SandboxTask | undefined;
  list(): readonly SandboxTask[];
  counts(): UnfinishedCounts;
  /** Waits for a task's end for at most `limitMs`; undefined if the task is unknown or has not ended by then. */
  waitForEnd(taskId: string, limitMs: number): Promise<SandboxTask | undefined>;
  /** Stops unfinished tasks. They run again, under the same ids, when a runner is next opened on the journal. */
  close(): Promise<void>;
}

export interface UnfinishedCounts {
  readonly unfinished: number;
  /** Largest number of unfinished tasks at any one time since this runner was opened. */
  readonly mostUnfinished: number;
  /** Tasks refused since then, because too many were unfinished. */
  readonly refused: number;
}

export interface TaskRunnerOptions {
  readonly journal: TaskJournal;
  readonly render: (task: SandboxTask, signal: AbortSignal) => Promise<TaskOutput>;
  /** Shortest time from a task's acceptance to its end. */
  readonly minTaskSeconds: (task: SandboxTask) => number;
  /** Maximum number of unfinished tasks; further tasks are refused. */
  readonly maxUnfinished: number;
}

/** Time between two tries to record a change, for example while the disk is full. */
const WRITE_AGAIN_MS = 500;

/** Opens the runner and resumes the tasks that are unfinished in the journal. */
export function openTaskRunner({ journal, render, minTaskSeconds, maxUnfinished }: TaskRunnerOptions): TaskRunner {
  const limit = createLimiter(availableParallelism());
  const closing = new AbortController();
  // Every waiting task adds a listener.
  setMaxListeners(0, closing.signal);
  const running = new Map<string, Promise<void>>();
  let unfinished = 0;
  let mostUnfinished = 0;
  let refused = 0;

  /** Records a change of the task. While the journal cannot be written, the task keeps its state. */
  async function change(task: SandboxTask, changes: Partial<SandboxTask>): Promise<SandboxTask> {
    const changed = { ...task, ...changes };
    for (;;) {
      try {
        await journal.write(changed);
        return changed;
      } catch {
        await delay(WRITE_AGAIN_MS, undefined, { signal: closing.signal });
      }
    }
  }

  async function run(accepted: SandboxTask): Promise<void> {
    const { signal } = closing;
    let task = accepted;
    const outcome = await limit(async () => {
      task = await change(task, { state: 'IN_PROGRESS', startedAt: task.startedAt ?? now() });
      return task.fate === 'never-ends' ? undefined : await attempt(() => render(task, signal), task.fate, signal);
    }, signal);
    if (outcome === undefined) {
      await aborted(signal);
      return;
    }
    const restMs = Date.parse(task.acceptedAt) + minTaskSeconds(task) * 1000 - Date.now();
    if (restMs > 0) await delay(restMs, undefined, { signal });
    unfinished -= 1;
    await change(task, { ...outcome, finishedAt: now() });
  }

  function countUnfinished(): void {
    unfinished += 1;
    mostUnfinished = Math.max(mostUnfinished, unfinished);
  }
  function start(task: SandboxTask): void {
    const ended = run(task)
      // `close` aborts tasks. An aborted task stays unfinished in the journal, so that it runs again.
      .catch((error: unknown) => {
        if (!closing.signal.aborted) throw error;
      })
      .finally(() => running.delete(task.id));
    running.set(task.id, ended);
  }

  for (const task of journal.tasks.values()) {
    if (task.finishedAt !== null) continue;
    countUnfinished();
    start(task);
  }

  return {
    async accept({ model, parameters, mode, idempotencyKey, fate, answerFault }) {
      if (unfinished >= maxUnfinished) {
        refused += 1;
        throw new RequestRefused(
          429,
          'too_many_tasks',
          `${unfinished} tasks are unfinished, of at most ${maxUnfinished}.`,
        );
      }
      const task: SandboxTask = {
        id: randomUUID(),
        model: model.id,
        workflow: model.workflow,
        mode,
        state: 'ACCEPTED',
        acceptedAt: now(),
        startedAt: null,
        finishedAt: null,
        credits: creditsFor(model.price, model.work(parameters)),
        idempotencyKey,
        parameters,
        fate,
        answerFault,
        output: null,
        error: null,
      };
      // Count before the write: another acceptance may begin during the write.
      countUnfinished();
      await journal.write(task).catch((error: unknown) => {
        unfinished -= 1;
        throw error;
      });
      start(task);
      return task;
    },
    find: (taskId) => journal.tasks.get(taskId),
    findByKey: (key) => [...journal.tasks.values()].find(({ idempotencyKey }) => idempotencyKey === key),
    list: () => [...journal.tasks.values()],
    counts: () => ({ unfinished, mostUnfinished, refused }),
    async waitForEnd(taskId, limitMs) {
      const waiting = new AbortController();
      await Promise.race([
        running.get(taskId),
        delay(limitMs, undefined, { signal: waiting.signal }).catch(() => undefined),
      ]);
      waiting.abort();
      const task = journal.tasks.get(taskId);
      return task?.finishedAt === null ? undefined : task;
    },
    async close() {
      closing.abort();
      await Promise.all(running.values());
      await journal.close();
    },
  };
}

type Outcome = Pick<SandboxTask, 'state' | 'output' | 'error'>;

/** Errors of tasks whose fate is to fail. Each task has its own fate, so a new task for the same prompt may succeed. */
const FAILURES: Readonly<Partial<Record<Fate, TaskError>>> = {
  fails: { code: 'internal_error', message: 'The task failed while it was rendered.' },
  'content-policy': { code: 'content_policy', message: 'The prompt violates the content policy.' },
};

async function attempt(render: () => Promise<TaskOutput>, fate: Fate, signal: AbortSignal): Promise<Outcome> {
  const failure = FAILURES[fate];
  if (failure) return failed(failure);
  try {
    return { state: 'COMPLETED', output: await render(), error: null };
  } catch (error) {
    signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return failed({ code: error instanceof FileUnusable ? 'invalid_file' : 'render_failed', message });
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function failed(error: TaskError): Outcome {
  return { state: 'FAILED', output: null, error };
}

function now(): string {
  return new Date().toISOString();
}
