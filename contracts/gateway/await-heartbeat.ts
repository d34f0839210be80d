/**
 * Heartbeat details of the activity `awaitTask`: the reads of its task so far. The next attempt continues from them.
 * Clients read them in the list of pending activities (`client/temporal/troubles`).
 *
 * Times are milliseconds by the worker's clock.
 */
export interface AwaitHeartbeat {
  failedInARow: number;
  /** When the next read is due; null if unknown. */
  dueAtMs: number | null;
  /**
   * The planned time of the next read; null if unknown. Unlike `dueAtMs`, not moved when a read fails, or when the
   * activity starts late.
   */
  plannedAtMs: number | null;
  /** Send time of the last read that found the task pending; null if there was none, undefined if unknown. */
  pendingAtMs: number | null | undefined;
}

/** Parses heartbeat details. `details` is undefined if no heartbeat has come. Older versions do not send all fields. */
export function awaitHeartbeat(details: unknown): AwaitHeartbeat {
  const known = details as Partial<AwaitHeartbeat> | null | undefined;
  return {
    failedInARow: known?.failedInARow ?? 0,
    dueAtMs: known?.dueAtMs ?? null,
    plannedAtMs: known?.plannedAtMs ?? null,
    pendingAtMs: known?.pendingAtMs,
  };
}
