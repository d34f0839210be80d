/** gRPC's UNAVAILABLE and DEADLINE_EXCEEDED. */
const UNAVAILABLE: ReadonlySet<number> = new Set([14, 4]);

/** Also CANCELLED, RESOURCE_EXHAUSTED and ABORTED: a starting, stopping or overloaded server may answer with these. */
const NO_ANSWER: ReadonlySet<number> = new Set([...UNAVAILABLE, 1, 8, 10]);

/** An error of a gRPC call. */
export interface GrpcError extends Error {
  readonly code: number;
  readonly details: string;
}

/** Whether a call failed because the Temporal server could not be reached, or did not answer in time. */
export function isUnavailable(error: Error): boolean {
  return UNAVAILABLE.has(grpcErrorIn(error)?.code ?? -1);
}

/** Whether a call failed without a definite answer from the Temporal server. The call may have taken effect. */
export function hasNoAnswer(error: unknown): boolean {
  return NO_ANSWER.has(grpcErrorIn(error)?.code ?? -1);
}

/** The gRPC error: `error` itself, or the cause of a Temporal client's error. Undefined if neither is one. */
export function grpcErrorIn(error: unknown): GrpcError | undefined {
  return [error, error instanceof Error ? error.cause : undefined].find(isGrpcError);
}

/** Used instead of `isGrpcServiceError`, for which every command would have to load Temporal's client. */
function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}
