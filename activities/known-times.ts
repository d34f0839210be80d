import { type KnownTimes } from '../contracts/activities';
import { type AccountLimits, type UsualTimes } from '../store';

/** By which time nine of ten tasks of each model have ended, and what a person allows the account. */
export async function knownTimes(
  usualTimes: UsualTimes,
  limits: AccountLimits,
  models: readonly string[],
): Promise<KnownTimes> {
  const known = await Promise.all(models.map(async (model) => [model, await usualTimes.of(model)] as const));
  const slow = Object.fromEntries(
    known.flatMap(([model, usual]) => (usual === undefined ? [] : [[model, usual.slowMs]])),
  );
  return { slow, limits: await limits.read() };
}
