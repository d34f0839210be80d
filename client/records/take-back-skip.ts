import { isSkipped, type Store, type TakeHistory } from '../../store';
import { currentShots } from './current-takes';
import { takesOf } from './takes';
import { readFrozen } from './read-frozen';
import { takesInStore } from './takes-in-store';

/**
 * Takes back the skip of a shot, so that the next render includes the shot again.
 *
 * @param take null for all skipped takes of the shot.
 * @returns false if no skip was taken back.
 */
export async function takeBackSkip(
  store: Store,
  account: string,
  { productionId, shotId }: { readonly productionId: string; readonly shotId: string },
  take: number | null,
): Promise<boolean> {
  const requested = await requestedTakes(store, account, productionId, shotId);
  const skipped = requested.filter((one) => isSkipped(one) && (take === null || one.take === take));
  const recorded = await Promise.all(
    skipped.map(async (history) => {
      const skip = history.decisions.at(-1);
      if (skip === undefined) return false;
      const { afterSending, parkedFor } = skip;
      const at = new Date().toISOString();
      const decision = { kind: 'resubmit', by: 'person', afterSending, parkedFor, at } as const;
      return store.ledger.decide({ productionId, shotId, take: history.take }, history.decisions.length + 1, decision);
    }),
  );
  return recorded.some(Boolean);
}

/**
 * The takes that the last render requested for the shot. If that render's frozen production is lost, the newest take.
 */
async function requestedTakes(
  store: Store,
  account: string,
  productionId: string,
  shotId: string,
): Promise<readonly TakeHistory[]> {
  const begun = await store.productions.begun(productionId);
  if (begun === undefined || !(await store.assets.has(begun.production))) {
    return (await takesOf(store, account, productionId)).get(shotId)?.slice(-1) ?? [];
  }
  const inStore = await takesInStore(store, account, await readFrozen(store.assets, begun.production));
  const { siblings = [], take } = currentShots(inStore).get(shotId) ?? {};
  return [...new Set([...siblings, take])].filter((one) => one !== undefined);
}
