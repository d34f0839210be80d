import { randomUUID } from 'node:crypto';
import type { TaskResponse, TaskState } from '../../contracts/gateway/wire';
import { RequestRefused } from '../http/request-refused';
import type { SandboxTask } from '../tasks/task-journal';

/** A read of an existing task. */
export interface ReadTarget {
  readonly task: SandboxTask;
  /** The state in the last answer to a read of the task; undefined before the first answer. */
  readonly lastState: TaskState | undefined;
  /** Another task; undefined if there is none. */
  readonly other: SandboxTask | undefined;
  readonly answerOf: (task: SandboxTask) => TaskResponse;
  /** Makes the file addresses of the task expire after some seconds. The next read makes them valid again. */
  expireAfter(seconds: number): void;
}

export function hasFile({ task }: ReadTarget): boolean {
  return task.output?.file !== undefined;
}

export function expireAddresses(target: ReadTarget, seconds: number): undefined {
  target.expireAfter(seconds);
}

export function canGoBack({ lastState }: ReadTarget): boolean {
  return lastState !== undefined && lastState !== 'ACCEPTED';
}

/** Answers IN_PROGRESS after COMPLETED or FAILED, and ACCEPTED after IN_PROGRESS. */
export function goBack({ task, lastState, answerOf }: ReadTarget): TaskResponse {
  const state = lastState === 'IN_PROGRESS' ? 'ACCEPTED' : 'IN_PROGRESS';
  return answerOf({ ...task, state, finishedAt: null, output: null, error: null });
}

export function wasReportedCompleted({ lastState }: ReadTarget): boolean {
  return lastState === 'COMPLETED';
}

export function answerUnknownTask({ task }: ReadTarget): never {
  throw new RequestRefused(404, 'unknown_task', `There is no task ${task.id}.`);
}

/**
 * Answers with another task, or with this task under a random id if there is no other task. A caller that does not
 * compare ids takes the answer for the result of its task.
 */
export function answerWithOtherTask({ task, other, answerOf }: ReadTarget): TaskResponse {
  return answerOf(other ?? { ...task, id: randomUUID() });
}

export function omitAddress({ task, answerOf }: ReadTarget): TaskResponse {
  return answerOf({ ...task, output: {} });
}
