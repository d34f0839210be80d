/**
 * The reads of a task so far, as the heartbeat of `awaitTask` holds them. The next attempt gets the last heartbeat of
 * the attempt before. Clients read the heartbeat with the pending activities (`client/temporal/troubles`).
 *
 * Times are milliseconds by the worker's clock.
 */
export interface AwaitHeartbeat {
  failedInARow: number;
  /** When the next read is due; null if unknown. */
  dueAtMs: number | null;
  /** When the next read would be due without the delays after failed reads; null if unknown. */
  plannedAtMs: number | null;
  /** Send time of the last read that found the task pending; null if there was none, undefined if unknown. */
  pendingAtMs: number | null | undefined;
}

/** Reads a heartbeat. A worker that was killed, or is of an older version, may not have reported all fields. */
export function awaitHeartbeat(details: unknown): AwaitHeartbeat {
  const known = details as Partial<AwaitHeartbeat> | null | undefined;
  return {
    failedInARow: known?.failedInARow ?? 0,
    dueAtMs: known?.dueAtMs ?? null,
    plannedAtMs: known?.plannedAtMs ?? null,
    pendingAtMs: known?.pendingAtMs,
  };
}
