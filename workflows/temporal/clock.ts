/** The workflow's clock, so that a replay gives the same. It advances with events, for which timers provide. */
export function nowMs(): number {
  return Date.now();
}

/** ISO 8601. Default: now. */
export function timestamp(ms = nowMs()): string {
  return new Date(ms).toISOString();
}
