import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TaskState } from '../../contracts/gateway/wire';
import type { Mode } from '../http/workflow-address';

/** The course of an accepted task, which is decided when the task is accepted. */
export type Fate = 'completes' | 'fails' | 'content-policy' | 'never-ends';

/** The record of one accepted POST. */
export interface SandboxTask {
  readonly id: string;
  readonly model: string;
  readonly workflow: string;
  readonly mode: Mode;
  readonly state: TaskState;
  /** ISO 8601. `startedAt` and `finishedAt` are null until the task starts and ends. */
  readonly acceptedAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Charged at acceptance, even if the task fails. */
  readonly credits: number;
  readonly idempotencyKey: string | null;
  /** Checked, with defaults; `sha256:…` replaces the bytes of a data URI. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly fate: Fate;
  /** The fault that struck the answer to the submit or execute request; null if no fault struck. */
  readonly answerFault: string | null;
  readonly output: TaskOutput | null;
  readonly error: TaskError | null;
}

/** Output of a completed task: names of files in the task's folder, or text. */
export interface TaskOutput {
  readonly file?: string;
  readonly lastFrame?: string;
  readonly text?: string;
}

export interface TaskError {
  readonly code: string;
  readonly message: string;
}

/** The latest record of every accepted task, kept in a file. */
export interface TaskJournal {
  readonly tasks: ReadonlyMap<string, SandboxTask>;
  /**
   * Resolves when the record would survive a kill of this process.
   *
   * @throws the disk's error. The task then keeps its earlier record; a new task is not kept. Later writes are tried as
   *   usual.
   */
  write(task: SandboxTask): Promise<void>;
  close(): Promise<void>;
}

/** Opens the journal: a file with a JSON line for each change. A later line of a task replaces its earlier lines. */
export async function openTaskJournal(path: string): Promise<TaskJournal> {
  await mkdir(dirname(path), { recursive: true });
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  const tasks = new Map<string, SandboxTask>();
  for (const line of text.split('\n')) {
    const task = readLine(line);
    if (task) tasks.set(task.id, task);
  }

  const file = await open(path, 'a');
  // End a line that a kill left incomplete, so that the next record gets its own line.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n');
  let written = Promise.resolve();
  // A failed write may leave an incomplete line.
  let start = '';

  async function append(task: SandboxTask): Promise<void> {
    const line = `${start}${JSON.stringify(task)}\n`;
    start = '\n';
    await file.appendFile(line);
    start = '';
  }

  return {
    tasks,
    async write(task) {
      const isNew = !tasks.has(task.id);
      // Add a new task before the write, so that a repeated request finds it by its idempotency key.
      if (isNew) tasks.set(task.id, task);
      const writing = written.then(() => append(task));
      written = writing.catch(() => undefined);
      try {
        await writing;
        tasks.set(task.id, task);
      } catch (error) {
        if (isNew) tasks.delete(task.id);
        throw error;
      }
    },
    async close() {
      await written;
      await file.close();
    },
  };
}

function readLine(line: string): SandboxTask | undefined {
  try {
    return JSON.parse(line) as SandboxTask;
  } catch {
    return undefined;
  }
}
