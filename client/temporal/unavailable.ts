/** gRPC's UNAVAILABLE and DEADLINE_EXCEEDED. */
const UNAVAILABLE: readonly unknown[] = [14, 4];

/**
 * Whether a call failed because the Temporal server cannot be reached. The error must be from Temporal's client, which
 * makes the gRPC error the cause.
 */
export function isUnavailable({ cause }: Error): boolean {
  return UNAVAILABLE.includes(codeIn(cause));
}

/** The gRPC code of a raw call's error, or of the cause of an error of Temporal's client; undefined if it has none. */
export function grpcCode(error: unknown): unknown {
  return codeIn(error) ?? (error instanceof Error ? codeIn(error.cause) : undefined);
}

function codeIn(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
