import { type AssetRef } from '../../contracts/asset';
import { type RowEnd } from '../../contracts/render/batch';
import { type BatchRow } from '../../contracts/render/batch-page';
import { rowProductionId } from '../../contracts/identifiers';
import { chosenTakeOf } from '../../contracts/status';
import { ifReadable, type Store } from '../../store';

type Where = Pick<Store, 'productions' | 'ledger' | 'assets'>;

/** The take that a production has chosen for a shot. */
export interface ChosenTake {
  readonly shot: string;
  readonly take: number;
  readonly asset: AssetRef;
}

/** The batch of a row, and the account that must have paid for the row's results. */
export interface RowsOf {
  readonly batchId: string;
  readonly account: string;
}

/**
 * The chosen takes of a row's production, at most one per shot. If the production makes no film, these takes are the
 * row's results.
 *
 * @returns undefined if no end of the production is recorded, or if another account paid for one of the takes.
 * @throws UnreadableRecord or ZodError if the production's status, or a record that names a take's account, is
 *   unreadable.
 */
export async function takesOfRow(
  { productions, ledger }: Where,
  { batchId, account }: RowsOf,
  key: string,
): Promise<readonly ChosenTake[] | undefined> {
  const productionId = rowProductionId(batchId, key);
  const status = await productions.archived(productionId);
  if (status === undefined) return undefined;
  const takes = status.shots.flatMap((shot) => {
    const { take, asset } = chosenTakeOf(shot) ?? {};
    return take === undefined || asset == null ? [] : [{ shot: shot.id, take, asset }];
  });
  for (const { shot, take } of takes) {
    const address = { productionId, shotId: shot, take };
    // Only the intent is needed: it names the account. Other records of the take may be unreadable.
    const intent = (await ledger.readableRecords(address)).intent ?? (await ledger.take(address))?.intent;
    if (intent !== undefined && intent.account !== account) return undefined;
  }
  return takes;
}

/** Whether a row has completed and all its results are in the store. False if the records are unreadable. */
export async function isComplete(
  store: Where,
  rowsOf: RowsOf,
  { key, kind }: Pick<BatchRow, 'key' | 'kind'>,
  { state, asset }: Pick<RowEnd, 'state' | 'asset'>,
): Promise<boolean> {
  if (state !== 'completed') return false;
  if (asset !== null) return store.assets.has(asset);
  if (kind !== 'production') return false;
  const takes = (await ifReadable(() => takesOfRow(store, rowsOf, key)))?.value;
  if (takes === undefined) return false;
  for (const { asset: output } of takes) if (!(await store.assets.has(output))) return false;
  return true;
}
