import { isSkipped, type Store, type TakeHistory } from '../../store';
import { currentShots } from './current-takes';
import { takesOf } from './takes';
import { createProductionRecords } from './production-records';
import { readFrozen } from './read-frozen';
import { takesInStore } from './takes-in-store';

/**
 * Takes back the skip of a shot, so that the next render asks for it again.
 *
 * @param take null for all skipped takes of the shot.
 * @returns false if none of these takes was skipped.
 */
export async function takeBackSkip(
  store: Store,
  account: string,
  { productionId, shotId }: { readonly productionId: string; readonly shotId: string },
  take: number | null,
): Promise<boolean> {
  const asked = await takesAskedFor(store, account, productionId, shotId);
  const skipped = asked.filter((one) => isSkipped(one) && (take === null || one.take === take));
  const noted = await Promise.all(
    skipped.map(async (history) => {
      const skip = history.decisions.at(-1);
      if (skip === undefined) return false;
      const { afterSending, parkedFor } = skip;
      const at = new Date().toISOString();
      const decision = { kind: 'resubmit', by: 'person', afterSending, parkedFor, at } as const;
      return store.ledger.decide({ productionId, shotId, take: history.take }, history.decisions.length + 1, decision);
    }),
  );
  return noted.some(Boolean);
}

/** The takes that the last render of the shot requested. They need not be the newest. */
async function takesAskedFor(
  store: Store,
  account: string,
  productionId: string,
  shotId: string,
): Promise<readonly TakeHistory[]> {
  const begun = await createProductionRecords(store).begun(productionId);
  if (begun === undefined || !(await store.assets.has(begun.production))) {
    return (await takesOf(store, account, productionId)).get(shotId)?.slice(-1) ?? [];
  }
  const inStore = await takesInStore(store, account, await readFrozen(store.assets, begun.production));
  const { siblings = [], take } = currentShots(inStore).get(shotId) ?? {};
  return [...new Set([...siblings, take])].filter((one) => one !== undefined);
}
