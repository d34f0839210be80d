import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { status } from '@grpc/grpc-js';

/** A workflow continues as new within a second or two. */
const TRIES = 10;
const PAUSE_MS = 200;

/**
 * Sends an update to a workflow that may be continuing as new. Meanwhile Temporal may reject an update before the
 * workflow sees it. Such an update is sent again.
 */
export async function retryUpdate<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const isRejected =
        error instanceof ServiceError &&
        isGrpcServiceError(error.cause) &&
        error.cause.code === status.FAILED_PRECONDITION;
      if (!isRejected || attempt === TRIES) throw error;
      await delay(PAUSE_MS * attempt);
    }
  }
}
