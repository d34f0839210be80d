import type { TaskState } from '../../contracts/gateway/wire';

/** For each task, the reads that were answered with the task's state. The log is lost at a restart. */
export interface ReadLog {
  /** The state in the last answer; undefined before the first answer. */
  stateOf(taskId: string): TaskState | undefined;
  readsOf(taskId: string): TaskReads;
  /** Records an answer. All download addresses of the task then expire after `validForSeconds`. */
  record(taskId: string, state: TaskState, validForSeconds: number): void;
  /** True if the task's download addresses have expired. */
  areAddressesExpired(taskId: string): boolean;
}

/** Counts a task's answered reads, up to the read that first reported the task's end. */
export interface TaskReads {
  readonly reads: number;
  /** When a read first reported the end of the task, ISO 8601; null before that. */
  readonly endReportedAt: string | null;
}

interface LastRead extends TaskReads {
  readonly state: TaskState;
  readonly validUntil: number;
}

export function createReadLog(): ReadLog {
  const lastReads = new Map<string, LastRead>();
  return {
    stateOf: (taskId) => lastReads.get(taskId)?.state,
    readsOf(taskId) {
      const { reads = 0, endReportedAt = null } = lastReads.get(taskId) ?? {};
      return { reads, endReportedAt };
    },
    record(taskId, state, validForSeconds) {
      const { reads = 0, endReportedAt = null } = lastReads.get(taskId) ?? {};
      const hasEnded = state === 'COMPLETED' || state === 'FAILED';
      lastReads.set(taskId, {
        state,
        validUntil: Date.now() + validForSeconds * 1000,
        reads: endReportedAt === null ? reads + 1 : reads,
        endReportedAt: endReportedAt ?? (hasEnded ? new Date().toISOString() : null),
      });
    },
    areAddressesExpired: (taskId) => Date.now() >= (lastReads.get(taskId)?.validUntil ?? Number.POSITIVE_INFINITY),
  };
}
