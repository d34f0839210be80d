import type { TaskState } from '../contracts/wire';

/** What callers were last told about each task. It is not kept over restarts. */
export interface Tellings {
  stateOf(taskId: string): TaskState | undefined;
  readsOf(taskId: string): TaskReads;
  /** Records an answer. Its addresses are valid for `goodForSeconds`, or until the next answer. */
  note(taskId: string, state: TaskState, goodForSeconds: number): void;
  /** True if the last answer's addresses have expired. */
  areExpired(taskId: string): boolean;
}

/** Reads of a task until its end was reported. */
export interface TaskReads {
  readonly reads: number;
  /** When a caller first read that the task has ended: ISO 8601, or null. */
  readonly endToldAt: string | null;
}

interface Told extends TaskReads {
  readonly state: TaskState;
  readonly goodUntil: number;
}

export function createTellings(): Tellings {
  const told = new Map<string, Told>();
  return {
    stateOf: (taskId) => told.get(taskId)?.state,
    readsOf(taskId) {
      const { reads = 0, endToldAt = null } = told.get(taskId) ?? {};
      return { reads, endToldAt };
    },
    note(taskId, state, goodForSeconds) {
      const { reads = 0, endToldAt = null } = told.get(taskId) ?? {};
      const hasEnded = state === 'COMPLETED' || state === 'FAILED';
      told.set(taskId, {
        state,
        goodUntil: Date.now() + goodForSeconds * 1000,
        reads: endToldAt === null ? reads + 1 : reads,
        endToldAt: endToldAt ?? (hasEnded ? new Date().toISOString() : null),
      });
    },
    areExpired: (taskId) => Date.now() >= (told.get(taskId)?.goodUntil ?? Number.POSITIVE_INFINITY),
  };
}
