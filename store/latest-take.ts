import { type LatestTake } from '../contracts/latest-take';
import { readableTakes } from './broken-takes';
import { createLedger } from './ledger';
import { type Records } from './records';
import { RESTORED, RestoredGap } from './restored';

/**
 * Whether a ledger lacks a take that was sent with it: then it is an older copy, or has lost records.
 *
 * It does not count as lacking if a person has said since then what the ledger is, by a restore or `dailies store`: what
 * may have been sent is held back from then on.
 */
export async function lacksTake(
  records: Records,
  { productionId, shotId, takeKey, take, at }: LatestTake,
): Promise<boolean> {
  const ledger = createLedger(records);
  const { takes, broken } = await readableTakes({ records, ledger }, { productionId, shotId });
  // A take that cannot be read may be the one: it stops its own shot.
  if (broken.length > 0 || takes.some(({ intent }) => intent.takeKey === takeKey)) return false;
  // Over NFS a listing may be a minute old; a take that another host has just added is found by its number.
  if (take !== undefined && (await ledger.take({ productionId, shotId, take }))?.intent.takeKey === takeKey)
    return false;
  return !(await isAnsweredFor(records, at));
}

/** Whether a person has restored the ledger or taken its store over after that time (ISO 8601). */
export async function isAnsweredFor(records: Records, since: string): Promise<boolean> {
  for (const name of await records.list(RESTORED)) {
    const gap = RestoredGap.safeParse(await records.read(`${RESTORED}/${name}/begun`)).data;
    if (gap !== undefined && Date.parse(gap.restoredAt) >= Date.parse(since)) return true;
  }
  return false;
}
