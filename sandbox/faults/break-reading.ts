import { randomUUID } from 'node:crypto';
import type { TaskResponse, TaskState } from '../../contracts/wire';
import { RequestRefused } from '../request-refused';
import type { SandboxTask } from '../task-journal';

/** A read of an existing task. */
export interface ReadScene {
  readonly task: SandboxTask;
  /** The state in the previous answer. */
  readonly told: TaskState | undefined;
  readonly other: SandboxTask | undefined;
  readonly answerOf: (task: SandboxTask) => TaskResponse;
  /** Makes the addresses in this answer expire after some seconds, unless the task is read again. */
  expireAfter(seconds: number): void;
}

export function hasFile({ task }: ReadScene): boolean {
  return task.output?.file !== undefined;
}

export function expireAddresses(scene: ReadScene, seconds: number): undefined {
  scene.expireAfter(seconds);
}

export function canGoBack({ told }: ReadScene): boolean {
  return told !== undefined && told !== 'ACCEPTED';
}

/** Goes back from COMPLETED or FAILED to IN_PROGRESS, and from IN_PROGRESS to ACCEPTED. */
export function goBack({ task, told, answerOf }: ReadScene): TaskResponse {
  const state = told === 'IN_PROGRESS' ? 'ACCEPTED' : 'IN_PROGRESS';
  return answerOf({ ...task, state, finishedAt: null, output: null, error: null });
}

export function hasToldCompleted({ told }: ReadScene): boolean {
  return told === 'COMPLETED';
}

export function forget({ task }: ReadScene): never {
  throw new RequestRefused(404, 'unknown_task', `There is no task ${task.id}.`);
}

/** Answers with the other task, id included, so that a caller who does not check the id takes its result. */
export function tellOther({ task, other, answerOf }: ReadScene): TaskResponse {
  return answerOf(other ?? { ...task, id: randomUUID() });
}

export function leaveOutAddress({ task, answerOf }: ReadScene): TaskResponse {
  return answerOf({ ...task, output: {} });
}
