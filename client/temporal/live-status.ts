import { isGrpcServiceError, ServiceError, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { type ProductionState } from '../../contracts/states';
import { type ProductionStatus } from '../../contracts/status';
import { productionStatusQuery } from '../../workflows/messages';
import { type HandleOf } from './start-workflow';

/** The status of a production's workflow, running or ended. */
export type LiveStatus =
  { readonly is: 'running' | 'ended'; readonly status: ProductionStatus } | { readonly is: 'unknown' };

/**
 * The status from Temporal. `unknown` if Temporal does not have the workflow, or cannot query it because no worker
 * serves it or it ended before one did.
 */
export async function liveStatus(handle: HandleOf<'production'>): Promise<LiveStatus> {
  const ending = await ifFound(handle.describe().then(({ status }) => status.name));
  switch (ending) {
    case undefined:
      return { is: 'unknown' };
    case 'RUNNING': {
      const status = await ask(handle);
      return status === undefined ? { is: 'unknown' } : { is: 'running', status };
    }
    case 'COMPLETED':
      // Temporal has the result even if the status could not be archived.
      return { is: 'ended', status: await handle.result() };
    default: {
      const status = await lastWords(handle, ending);
      return status === undefined ? { is: 'unknown' } : { is: 'ended', status };
    }
  }
}

export async function ifFound<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Ends that a person decided. Any other abnormal end leaves the production incomplete. */
const DECIDED: ReadonlySet<string> = new Set(['CANCELLED', 'TERMINATED']);

/** The status of a workflow that did not complete, for example because it was terminated. */
async function lastWords(handle: HandleOf<'production'>, ending: string): Promise<ProductionStatus | undefined> {
  const last = await ask(handle);
  if (last?.state !== 'running') return last;
  const state: ProductionState = DECIDED.has(ending) ? 'cancelled' : 'incomplete';
  const words = await wordsOfFailure(handle);
  return { ...last, state, reason: `its workflow ended as ${ending}${words === undefined ? '' : `: ${words}`}` };
}

/** A worker answers within about 10 ms. If none does, the store has nearly the same status, and a person is waiting. */
const ANSWER_LIMIT_MS = 5_000;

/**
 * Undefined if the workflow cannot be queried: no worker answers, or none ever began it. The server itself has just
 * answered. It reports this in several ways: deadline exceeded, query cancelled, query buffer full.
 */
async function ask(handle: HandleOf<'production'>): Promise<ProductionStatus | undefined> {
  try {
    return await handle.client.withDeadline(Date.now() + ANSWER_LIMIT_MS, () => handle.query(productionStatusQuery));
  } catch (error) {
    if (error instanceof ServiceError && isGrpcServiceError(error.cause)) return undefined;
    throw error;
  }
}

async function wordsOfFailure(handle: HandleOf<'production'>): Promise<string | undefined> {
  try {
    await handle.result();
    return undefined;
  } catch (error) {
    return error instanceof WorkflowFailedError ? error.cause?.message : undefined;
  }
}
