import { type ProductionStatus } from '../../contracts/status';
import { productionStatusQuery } from '../../workflows/messages';
import { ifFound } from '../temporal/live-status';
import { noteBegun } from '../records/note-begun';
import { wrongAccount } from '../wording/refused';
import { handleOf, type RenderContext, type WorkflowPlace } from './context';

export async function isRunning(context: WorkflowPlace, productionId: string): Promise<boolean> {
  return (await ifFound(handleOf(context, productionId).describe()))?.status.name === 'RUNNING';
}

/** @throws Refused if the production runs for another account. */
export async function checkPayer(context: RenderContext, productionId: string): Promise<void> {
  const { account } = context;
  const { memo } = await handleOf(context, productionId).describe();
  const payer = String(memo?.['account']);
  if (payer === account) return;
  throw wrongAccount(`production "${productionId}" is running`, payer, account);
}

/**
 * Reads the status of the running render and corrects the record of its production and rules. The record is wrong if a
 * command stopped right after it revised the render, or after it recorded a render that Temporal refused to start.
 *
 * @param path of the production file; null if a program gave the production. Default: as recorded for this render.
 * @throws Refused if the production runs for another account.
 */
export async function runningRender(
  context: RenderContext,
  productionId: string,
  path?: string | null,
): Promise<ProductionStatus> {
  const { store, account } = context;
  await checkPayer(context, productionId);
  const now = await handleOf(context, productionId).query(productionStatusQuery);
  await noteBegun(store, account, now, path);
  return now;
}
