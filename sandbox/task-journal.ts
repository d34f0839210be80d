import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TaskState } from '../contracts/wire';
import type { Mode } from './workflow-address';

/** What becomes of an accepted task, decided when it is accepted. */
export type Fate = 'completes' | 'fails' | 'content-policy' | 'never-ends';

/** A task as the accountant sees it: one for every POST that was accepted. */
export interface SandboxTask {
  readonly id: string;
  readonly model: string;
  readonly workflow: string;
  readonly mode: Mode;
  readonly state: TaskState;
  /** ISO 8601; null before the task starts or ends. */
  readonly acceptedAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Charged at acceptance, whatever became of the task. */
  readonly credits: number;
  readonly idempotencyKey: string | null;
  /** As checked, defaults included; `sha256:…` stands for the bytes of a data URI. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly fate: Fate;
  /** The fault that came in place of the answer with the task's id; null where the caller was told. */
  readonly answerFault: string | null;
  readonly output: TaskOutput | null;
  readonly error: TaskError | null;
}

/** What a completed task left: names of files in the task's folder, or text. */
export interface TaskOutput {
  readonly file?: string;
  readonly lastFrame?: string;
  readonly text?: string;
}

/** Why a task ended FAILED. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
}

/** Every task that was ever accepted in a folder, as it last stood. */
export interface TaskJournal {
  readonly tasks: ReadonlyMap<string, SandboxTask>;
  /** Settles once the task would survive the end of this process. */
  write(task: SandboxTask): Promise<void>;
  close(): Promise<void>;
}

/** Opens the journal, a file with one line of JSON for each change; the last line of a task counts. */
export async function openTaskJournal(path: string): Promise<TaskJournal> {
  await mkdir(dirname(path), { recursive: true });
  const text = await readFile(path, 'utf8').catch(() => '');
  const tasks = new Map<string, SandboxTask>();
  for (const line of text.split('\n')) {
    const task = readLine(line);
    if (task) tasks.set(task.id, task);
  }

  const file = await open(path, 'a');
  // What a kill left of its last line must not swallow the next one.
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n');
  let written = Promise.resolve();

  return {
    tasks,
    write(task) {
      tasks.set(task.id, task);
      written = written.then(() => file.appendFile(`${JSON.stringify(task)}\n`));
      return written;
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
