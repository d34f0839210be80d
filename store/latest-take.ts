import { type LatestTake } from '../contracts/latest-take';
import { readableTakes } from './broken-takes';
import { createLedger } from './ledger';
import { type Records } from './records';
import { RESTORED, RestoredGap } from './restored';

/**
 * True if a ledger lacks a take that was sent with it. Then it is an older copy, or has lost records.
 *
 * False if a person has restored the ledger or run `dailies store` since: what may have been sent is held back from
 * then on.
 */
export async function lacksTake(
  records: Records,
  { productionId, shotId, takeKey, take, at }: LatestTake,
): Promise<boolean> {
  const ledger = createLedger(records);
  const { takes, broken } = await readableTakes({ records, ledger }, { productionId, shotId });
  // An unreadable take may be this one. It stops its own shot.
  if (broken.length > 0 || takes.some(({ intent }) => intent.takeKey === takeKey)) return false;
  // Over NFS a listing may be a minute old, so a take that another host has just added is looked up by its number.
  if (take !== undefined && (await ledger.take({ productionId, shotId, take }))?.intent.takeKey === takeKey)
    return false;
  return !(await isAnsweredFor(records, at));
}

/** True if a person has restored the ledger, or taken its store over, at or after that time (ISO 8601). */
export async function isAnsweredFor(records: Records, since: string): Promise<boolean> {
  for (const name of await records.list(RESTORED)) {
    const gap = RestoredGap.safeParse(await records.read(`${RESTORED}/${name}/begun`)).data;
    if (gap !== undefined && Date.parse(gap.restoredAt) >= Date.parse(since)) return true;
  }
  return false;
}
