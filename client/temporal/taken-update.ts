import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { status } from '@grpc/grpc-js';

/** A workflow continues as new within a second or two. */
const TRIES = 10;
const PAUSE_MS = 200;

/**
 * Sends an update to a workflow that may be continuing as new, a production or the arbiter. In that moment Temporal may
 * reject updates before the workflow has seen them; such updates are sent again.
 */
export async function takenUpdate<T>(send: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await send();
    } catch (error) {
      const isRefused =
        error instanceof ServiceError &&
        isGrpcServiceError(error.cause) &&
        error.cause.code === status.FAILED_PRECONDITION;
      if (!isRefused || tried === TRIES) throw error;
      await delay(PAUSE_MS * tried);
    }
  }
}
