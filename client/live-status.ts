import {
  isGrpcServiceError,
  ServiceError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type ProductionState } from '../contracts/manifest';
import { type ProductionStatus } from '../contracts/status';
import { productionStatusQuery } from '../workflows/messages';

/** A production's workflow as Temporal knows it, running or ended. */
export type LiveStatus =
  { readonly is: 'running' | 'ended'; readonly status: ProductionStatus } | { readonly is: 'unknown' };

/**
 * The status by Temporal's own account; `unknown` where it never knew the production or has forgotten it, and where it
 * cannot ask the workflow: no worker serves it, or it was ended before any did.
 */
export async function liveStatus(handle: WorkflowHandle): Promise<LiveStatus> {
  const ending = await ifFound(handle.describe().then(({ status }) => status.name));
  switch (ending) {
    case undefined:
      return { is: 'unknown' };
    case 'RUNNING': {
      const status = await ask(handle);
      return status === undefined ? { is: 'unknown' } : { is: 'running', status };
    }
    case 'COMPLETED':
      // What it ended with is with Temporal too, also where it could not be archived.
      return { is: 'ended', status: (await handle.result()) as ProductionStatus };
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

/** Endings that somebody decided on; a workflow that ends in any other way leaves its production incomplete. */
const DECIDED: ReadonlySet<string> = new Set(['CANCELLED', 'TERMINATED']);

/** The status of a production whose workflow did not come to its own end, as after Temporal's own terminate. */
async function lastWords(handle: WorkflowHandle, ending: string): Promise<ProductionStatus | undefined> {
  const last = await ask(handle);
  if (last?.state !== 'running') return last;
  const state: ProductionState = DECIDED.has(ending) ? 'cancelled' : 'incomplete';
  const words = await wordsOfFailure(handle);
  return { ...last, state, reason: `its workflow ended as ${ending}${words === undefined ? '' : `: ${words}`}` };
}

/** A worker answers within some 10 ms; where none does, the store knows nearly as much, and somebody waits for it. */
const ANSWER_LIMIT_MS = 5_000;

/**
 * Undefined if the workflow cannot be asked: no worker answers, or none ever began it. Temporal itself has answered a
 * moment before, and says so in several ways: the deadline is passed, the query is cancelled, its buffer is full.
 */
async function ask(handle: WorkflowHandle): Promise<ProductionStatus | undefined> {
  try {
    return await handle.client.withDeadline(Date.now() + ANSWER_LIMIT_MS, () => handle.query(productionStatusQuery));
  } catch (error) {
    if (error instanceof ServiceError && isGrpcServiceError(error.cause)) return undefined;
    throw error;
  }
}

async function wordsOfFailure(handle: WorkflowHandle): Promise<string | undefined> {
  try {
    await handle.result();
    return undefined;
  } catch (error) {
    return error instanceof WorkflowFailedError ? error.cause?.message : undefined;
  }
}
