import { type UsualTimes } from '../store';

/** By which time nine of ten tasks of each model have ended; without those of which too little is known. */
export async function slowTimes(
  usualTimes: UsualTimes,
  models: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const known = await Promise.all(models.map(async (model) => [model, await usualTimes.of(model)] as const));
  return Object.fromEntries(known.flatMap(([model, usual]) => (usual === undefined ? [] : [[model, usual.slowMs]])));
}
