import { type Batches } from './batches';
import { type Productions } from '../production/productions';

/**
 * Says which batch, or which row of another batch, already has the id of this row's production; undefined if none has.
 *
 * Ids and keys may contain dots: `a.b.c` can be the row `b.c` of batch `a`, the row `c` of batch `a.b`, or a batch. The
 * first of these to begin keeps the id.
 */
export async function rowNameConflict(
  { productions, batches }: { readonly productions: Productions; readonly batches: Batches },
  productionId: string,
  batchId: string,
): Promise<string | undefined> {
  const batch = (await productions.begun(productionId))?.batch;
  if (batch !== undefined && batch !== batchId) return `"${productionId}" is a row of the batch "${batch}"`;
  const batchOfThatId = await batches.begun(productionId);
  return batchOfThatId === undefined ? undefined : `"${productionId}" is a batch`;
}
