/** By the workflow's clock, so that a replay gives the same; timers see to it that it moves on. */
export function nowMs(): number {
  return Date.now();
}

/** ISO 8601. Default: of now. */
export function timestamp(ms = nowMs()): string {
  return new Date(ms).toISOString();
}
