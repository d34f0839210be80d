/** The workflow's time, which is the same in a replay. It advances only with events, for example when a timer fires. */
export function nowMs(): number {
  return Date.now();
}

/** ISO 8601. Default: now. */
export function timestamp(ms = nowMs()): string {
  return new Date(ms).toISOString();
}
