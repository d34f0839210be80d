/** gRPC's UNAVAILABLE and DEADLINE_EXCEEDED. */
const UNAVAILABLE: readonly unknown[] = [14, 4];

/** Whether a call failed because the Temporal server cannot be reached, as Temporal's client wraps the error. */
export function isUnavailable({ cause }: Error): boolean {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return UNAVAILABLE.includes(code);
}
