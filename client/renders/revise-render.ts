import { type WorkflowHandle, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { type Revision } from '../../contracts/workflows';
import { productionStatusQuery, reviseProductionUpdate, revisionObjectionQuery } from '../../workflows/messages';
import { Refused } from '../wording/refused';
import { retryUpdate } from '../temporal/retry-update';
import { NO_FLAGS } from '../records/render-flags';
import { handleOf, type RenderContext } from './context';
import { type Change, type Note } from './request';
import { basisOf, flagsOf, planToRun } from './rules';
import { runningRender } from './running-render';

/**
 * Makes a running production follow another version of itself.
 *
 * @param again shots to run again although their request has not changed.
 * @param note records the revision; called right before the update, if the workflow does not object.
 * @returns true if the production was revised; false if it has just ended and must be rendered again.
 * @throws Refused if the workflow rejects the version, or if the production runs for another account.
 */
export async function reviseRender(
  context: RenderContext,
  change: Change,
  again: readonly string[],
  note: Note,
): Promise<boolean> {
  const { productionId, production, replaces, path } = change;
  const handle = handleOf(context, productionId);
  const { basis: flags = NO_FLAGS } = await runningRender(context, productionId);
  const revision: Revision = {
    productionId,
    production,
    plan: await planToRun(context, change, flags),
    basis: await basisOf(context, change, flagsOf(flags)),
    again,
    ...(replaces === undefined ? {} : { replaces }),
  };
  const objection = await handle.query(revisionObjectionQuery, revision);
  if (objection !== null) return refuseOrEnd(handle, objection);
  await note();
  try {
    await retryUpdate(() => handle.executeUpdate(reviseProductionUpdate, { args: [revision] }));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    return refuseOrEnd(handle, error.cause?.message ?? error.message);
  }
  await runningRender(context, productionId, path);
  return true;
}

/** Handles a rejected revision: returns false if the production has ended. @throws Refused if it has not. */
async function refuseOrEnd(handle: WorkflowHandle, objection: string): Promise<false> {
  const { state } = await handle.query(productionStatusQuery);
  if (state === 'running') throw new Refused(objection);
  await handle.result();
  return false;
}
