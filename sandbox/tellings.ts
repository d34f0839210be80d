import type { TaskState } from '../contracts/wire';

/** What callers were last told of each task, for as long as this process lives. */
export interface Tellings {
  stateOf(taskId: string): TaskState | undefined;
  /** Notes an answer. Its addresses are good for so long, or until the next one. */
  note(taskId: string, state: TaskState, goodForSeconds: number): void;
  /** Whether the addresses that were told are good no more. */
  areExpired(taskId: string): boolean;
}

export function createTellings(): Tellings {
  const told = new Map<string, { readonly state: TaskState; readonly goodUntil: number }>();
  return {
    stateOf: (taskId) => told.get(taskId)?.state,
    note(taskId, state, goodForSeconds) {
      told.set(taskId, { state, goodUntil: Date.now() + goodForSeconds * 1000 });
    },
    areExpired: (taskId) => Date.now() >= (told.get(taskId)?.goodUntil ?? Number.POSITIVE_INFINITY),
  };
}
