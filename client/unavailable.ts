/** UNAVAILABLE and DEADLINE_EXCEEDED of gRPC. */
const AWAY: readonly unknown[] = [14, 4];

/** Whether a call to Temporal failed since its server cannot be reached, as Temporal's client wraps it. */
export function isUnavailable({ cause }: Error): boolean {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return AWAY.includes(code);
}
