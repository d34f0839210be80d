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

export interface UnfinishedCounts {
  readonly unfinished: number;
  /** Largest number of unfinished tasks at any one time since this runner was opened. */
  readonly mostUnfinished: number;
  /** Tasks that this runner refused because too many were unfinished. */
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

/** Accepts and records tasks, and renders them in order of acceptance, at most one per core at the same time. */
export class TaskRunner {
  readonly #journal: TaskJournal;
  readonly #render: TaskRunnerOptions['render'];
  readonly #minTaskSeconds: TaskRunnerOptions['minTaskSeconds'];
  readonly #maxUnfinished: number;
  readonly #limit = createLimiter(availableParallelism());
  readonly #closing = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  #unfinished = 0;
  #mostUnfinished = 0;
  #refused = 0;

  /** Opens the runner and resumes the tasks that are unfinished in the journal. */
  constructor({ journal, render, minTaskSeconds, maxUnfinished }: TaskRunnerOptions) {
    this.#journal = journal;
    this.#render = render;
    this.#minTaskSeconds = minTaskSeconds;
    this.#maxUnfinished = maxUnfinished;
    // Every waiting task adds a listener.
    setMaxListeners(0, this.#closing.signal);
    for (const task of journal.tasks.values()) {
      if (task.finishedAt !== null) continue;
      this.#countUnfinished();
      this.#start(task);
    }
  }

  /** @throws RequestRefused 429 if too many tasks are unfinished; the disk's error if the task cannot be recorded. */
  async accept({ model, parameters, mode, idempotencyKey, fate, answerFault }: Acceptance): Promise<SandboxTask> {
    if (this.#unfinished >= this.#maxUnfinished) {
      this.#refused += 1;
      throw new RequestRefused(
        429,
        'too_many_tasks',
        `${this.#unfinished} tasks are unfinished, of at most ${this.#maxUnfinished}.`,
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
    this.#countUnfinished();
    await this.#journal.write(task).catch((error: unknown) => {
      this.#unfinished -= 1;
      throw error;
    });
    this.#start(task);
    return task;
  }

  find(taskId: string): SandboxTask | undefined {
    return this.#journal.tasks.get(taskId);
  }

  findByKey(key: string): SandboxTask | undefined {
    return this.list().find(({ idempotencyKey }) => idempotencyKey === key);
  }

  list(): readonly SandboxTask[] {
    return [...this.#journal.tasks.values()];
  }

  counts(): UnfinishedCounts {
    return { unfinished: this.#unfinished, mostUnfinished: this.#mostUnfinished, refused: this.#refused };
  }

  /** Waits for a task's end for at most `limitMs`; undefined if the task is unknown or has not ended by then. */
  async waitForEnd(taskId: string, limitMs: number): Promise<SandboxTask | undefined> {
    const waiting = new AbortController();
    await Promise.race([
      this.#running.get(taskId),
      delay(limitMs, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
    const task = this.find(taskId);
    return task?.finishedAt === null ? undefined : task;
  }

  /** Stops unfinished tasks. They run again, under the same ids, when a runner is next opened on the journal. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running.values());
    await this.#journal.close();
  }

  #countUnfinished(): void {
    this.#unfinished += 1;
    this.#mostUnfinished = Math.max(this.#mostUnfinished, this.#unfinished);
  }

  #start(task: SandboxTask): void {
    const ended = this.#run(task)
      // `close` aborts tasks. An aborted task stays unfinished in the journal, so that it runs again.
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) throw error;
      })
      .finally(() => this.#running.delete(task.id));
    this.#running.set(task.id, ended);
  }

  async #run(accepted: SandboxTask): Promise<void> {
    const { signal } = this.#closing;
    let task = accepted;
    const outcome = await this.#limit(async () => {
      task = await this.#change(task, { state: 'IN_PROGRESS', startedAt: task.startedAt ?? now() });
      return task.fate === 'never-ends'
        ? undefined
        : await attempt(() => this.#render(task, signal), task.fate, signal);
    }, signal);
    if (outcome === undefined) {
      await aborted(signal);
      return;
    }
    const restMs = Date.parse(task.acceptedAt) + this.#minTaskSeconds(task) * 1000 - Date.now();
    if (restMs > 0) await delay(restMs, undefined, { signal });
    await this.#change(task, { ...outcome, finishedAt: now() });
    this.#unfinished -= 1;
  }

  /** Records a change of the task. While the journal cannot be written, the task keeps its state. */
  async #change(task: SandboxTask, changes: Partial<SandboxTask>): Promise<SandboxTask> {
    const changed = { ...task, ...changes };
    for (;;) {
      try {
        await this.#journal.write(changed);
        return changed;
      } catch {
        await delay(WRITE_AGAIN_MS, undefined, { signal: this.#closing.signal });
      }
    }
  }
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
