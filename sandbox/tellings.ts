import type { TaskState } from '../contracts/wire';

/** What callers were last told of each task, for as long as this process lives. */
export interface Tellings {
  stateOf(taskId: string): TaskState | undefined;
  readsOf(taskId: string): TaskReads;
  /** Notes an answer. Its addresses are good for so long, or until the next one. */
  note(taskId: string, state: TaskState, goodForSeconds: number): void;
  /** Whether the addresses that were told are good no more. */
  areExpired(taskId: string): boolean;
}

/** How often a task was read, up to when its end was told. */
export interface TaskReads {
  readonly reads: number;
  /** When a caller was first told that it has ended: ISO 8601, or null. */
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
