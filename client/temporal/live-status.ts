import { isGrpcServiceError, ServiceError, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { type ProductionState } from '../../contracts/states';
import { type ProductionStatus } from '../../contracts/status';
import { productionStatusQuery } from '../../workflows/messages';
import { type HandleOf } from './start-workflow';

/** The status of a production's workflow, running or ended. */
export type LiveStatus =
  { readonly is: 'running' | 'ended'; readonly status: ProductionStatus } | { readonly is: 'unknown' };

/**
 * Reads the status from Temporal. `unknown` if Temporal does not have the workflow, or if no worker answers the query.
 */
export async function liveStatus(handle: HandleOf<'production'>): Promise<LiveStatus> {
  const run = await ifFound(handle.describe());
  const ending = run?.status.name;
  switch (ending) {
    case undefined:
      return { is: 'unknown' };
    case 'RUNNING': {
      const status = await queryStatus(handle);
      return status === undefined ? { is: 'unknown' } : { is: 'running', status };
    }
    case 'COMPLETED':
      // Temporal has the result even if the store could not archive the status.
      return { is: 'ended', status: await resultOf(handle, run?.runId) };
    default: {
      const status = await statusAfterFailure(handle, ending);
      return status === undefined ? { is: 'unknown' } : { is: 'ended', status };
    }
  }
}

/** The result of one run. Without a run id it would be the result of the last run, which may have begun meanwhile. */
function resultOf({ client, workflowId }: HandleOf<'production'>, runId?: string): Promise<ProductionStatus> {
  const ofRun: HandleOf<'production'> = client.getHandle(workflowId, runId);
  return ofRun.result();
}

/** The result of a call; undefined if Temporal does not have the workflow. */
export async function ifFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Abnormal ends that a person causes. The production then counts as cancelled, otherwise as incomplete. */
const BY_PERSON: ReadonlySet<string> = new Set(['CANCELLED', 'TERMINATED']);

/** The last status of a workflow that ended without completing; undefined if no worker answers. */
async function statusAfterFailure(
  handle: HandleOf<'production'>,
  ending: string,
): Promise<ProductionStatus | undefined> {
  const last = await queryStatus(handle);
  if (last?.state !== 'running') return last;
  const state: ProductionState = BY_PERSON.has(ending) ? 'cancelled' : 'incomplete';
  const message = await failureMessage(handle);
  return { ...last, state, reason: `its workflow ended as ${ending}${message === undefined ? '' : `: ${message}`}` };
}

/**
 * Time limit for the query. A running worker answers within about 10 ms. The limit is short, because a person is
 * waiting and the store has nearly the same status.
 */
const ANSWER_LIMIT_MS = 5_000;

/**
 * Undefined if no worker answers the query. The server has just answered another call, so any gRPC error here means
 * that no worker answers: deadline exceeded, query cancelled or query buffer full.
 */
async function queryStatus(handle: HandleOf<'production'>): Promise<ProductionStatus | undefined> {
  try {
    return await handle.client.withDeadline(Date.now() + ANSWER_LIMIT_MS, () => handle.query(productionStatusQuery));
  } catch (error) {
    if (error instanceof ServiceError && isGrpcServiceError(error.cause)) return undefined;
    throw error;
  }
}

async function failureMessage(handle: HandleOf<'production'>): Promise<string | undefined> {
  try {
    await handle.result();
    return undefined;
  } catch (error) {
    return error instanceof WorkflowFailedError ? error.cause?.message : undefined;
  }
}
