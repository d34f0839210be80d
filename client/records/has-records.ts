import { GENERATIONS } from '../../contracts/identifiers';
import { type Store } from '../../store';

/**
 * Whether the store has any record of a production or batch with this id; always true for `generations`. Reads no
 * contents, since damaged records count too.
 */
export async function hasRecords(
  { ledger, productions, batches }: Pick<Store, 'ledger' | 'productions' | 'batches'>,
  id: string,
): Promise<boolean> {
  if (id === GENERATIONS) return true;
  const ids = await Promise.all([ledger.productions(), productions.ids(), batches.ids()]);
  return ids.flat().includes(id);
}
