import { createBatches } from './batches';
import { begunRender } from './begun-renders';
import { type Records } from './records';

/**
 * Says what else has the name of a row's production; undefined if nothing has.
 *
 * Ids and keys may both contain dots: `a.b.c` is the row `b.c` of batch `a` and the row `c` of batch `a.b`, and may be
 * a batch itself. The first that has begun keeps the name.
 */
export async function otherOfRowName(
  records: Records,
  productionId: string,
  batchId: string,
): Promise<string | undefined> {
  const batch = (await begunRender(records, productionId))?.batch;
  if (batch !== undefined && batch !== batchId) return `"${productionId}" is a row of the batch "${batch}"`;
  const own = await createBatches(records).begun(productionId);
  return own === undefined ? undefined : `"${productionId}" is a batch`;
}
