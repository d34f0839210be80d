import { type AssetRef } from '../../contracts/asset';
import { type BatchRow, type RowEnd } from '../../contracts/render/batch';
import { rowProductionId } from '../../contracts/identifiers';
import { chosenTakeOf } from '../../contracts/status';
import { type Store } from '../../store';

type Where = Pick<Store, 'productions' | 'ledger' | 'assets'>;

/** The take that a production has chosen for a shot. */
export interface ChosenTake {
  readonly shot: string;
  readonly take: number;
  readonly asset: AssetRef;
}

/**
 * The chosen take of each shot of a row's production. If the production makes no film, these takes are the row's
 * results.
 */
export async function takesOfRow(store: Where, batchId: string, key: string): Promise<readonly ChosenTake[]> {
  const status = await store.productions.archived(rowProductionId(batchId, key));
  return (status?.shots ?? []).flatMap((shot) => {
    const { take, asset } = chosenTakeOf(shot) ?? {};
    return take === undefined || asset == null ? [] : [{ shot: shot.id, take, asset }];
  });
}

/** Whether a row has completed and all its results are in the store. */
export async function isComplete(
  store: Where,
  batchId: string,
  { key, kind }: Pick<BatchRow, 'key' | 'kind'>,
  { state, asset }: Pick<RowEnd, 'state' | 'asset'>,
): Promise<boolean> {
  if (state !== 'completed') return false;
  if (asset !== null) return store.assets.has(asset);
  if (kind !== 'production') return false;
  for (const take of await takesOfRow(store, batchId, key)) if (!(await store.assets.has(take.asset))) return false;
  return true;
}
