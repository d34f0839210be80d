import { createBatches } from './batches';
import { begunRender } from './begun-renders';
import { type Records } from './records';

/**
 * Who else has the name of a row's production, in words; undefined where nobody has.
 *
 * Ids and keys may both hold dots, so that `a.b.c` is the row `b.c` of batch `a` as well as the row `c` of batch `a.b`; and
 * a batch may be called `a.b.c` itself. Whoever has begun first keeps the name.
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
