import { type LatestTake } from '../../contracts/gateway/latest-take';
import { readableTakes } from '../ledger/broken-takes';
import { type Ledger } from '../ledger/ledger';
import { type Restores } from './restored';

/**
 * True if the ledger lacks the take that was sent last from its store. Then the ledger is an older copy, or has lost
 * records.
 *
 * False if a person has restored the ledger or taken over the copy since that take was sent. Then every take that may
 * have been sent since the backup waits for a person, unless the person stated that nothing was sent.
 */
export async function lacksTake(
  { ledger, restores }: { readonly ledger: Ledger; readonly restores: Restores },
  { productionId, shotId, takeKey, take, at }: LatestTake,
): Promise<boolean> {
  const { takes, broken } = await readableTakes(ledger, { productionId, shotId });
  // An unreadable take may be this one. Nothing is sent for its shot.
  if (broken.length > 0 || takes.some(({ intent }) => intent.takeKey === takeKey)) return false;
  // Over NFS a listing may be a minute old. Read the take by its number, since another host may have just added it.
  if (take !== undefined && (await ledger.take({ productionId, shotId, take }))?.intent.takeKey === takeKey)
    return false;
  return !(await restores.isAnsweredFor(at));
}
