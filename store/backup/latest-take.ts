import { type LatestTake } from '../../contracts/gateway/latest-take';
import { readableTakes } from '../ledger/broken-takes';
import { type Ledger } from '../ledger/ledger';
import { type Restores } from './restored';

/**
 * True if the ledger lacks the take that Temporal records as the latest: the ledger is an older copy or has lost
 * records.
 *
 * False if a person has restored the ledger, or taken over the copied store, since that take was sent. Takes that may
 * have been sent after the backup then wait for a person anyway, unless a person has stated that nothing was sent.
 */
export async function lacksTake(
  { ledger, restores }: { readonly ledger: Ledger; readonly restores: Restores },
  { productionId, shotId, takeKey, take, at }: LatestTake,
): Promise<boolean> {
  const { takes, broken } = await readableTakes(ledger, { productionId, shotId });
  // The take may be one of the unreadable takes. Nothing is sent for a shot with an unreadable take.
  if (broken.length > 0 || takes.some(({ intent }) => intent.takeKey === takeKey)) return false;
  // Over NFS a listing may be a minute old. Read the take by its number, since another host may have just added it.
  if (take !== undefined && (await ledger.take({ productionId, shotId, take }))?.intent.takeKey === takeKey)
    return false;
  return !(await restores.wasRestoredSince(at));
}
