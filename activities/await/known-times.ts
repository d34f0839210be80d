import { type KnownTimes } from '../../contracts/activities';
import { type AccountLimits, type UsualTimes } from '../../store';

/**
 * Looks up the limits that a person set for the account, and for each model the time within which nine of ten tasks
 * ended. Leaves out models without enough tasks.
 */
export async function knownTimes(
  usualTimes: UsualTimes,
  limits: AccountLimits,
  models: readonly string[],
): Promise<KnownTimes> {
  const known = await Promise.all(models.map(async (model) => [model, await usualTimes.forModel(model)] as const));
  const slow = Object.fromEntries(
    known.flatMap(([model, usual]) => (usual === undefined ? [] : [[model, usual.slowMs]])),
  );
  return { slow, limits: await limits.read() };
}
