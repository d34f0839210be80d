import { type FrozenProduction } from '../../contracts/render/frozen';
import { isOutputStored, currentOutput, type StoreView, type TakeHistory } from '../../store';
import { type TakesInput } from './current-takes';
import { takesOf } from './takes';

/** Reads the input of `currentShots` from the store. The number of takes side by side comes from the last render. */
export async function takesInStore(
  store: StoreView,
  account: string,
  production: FrozenProduction,
): Promise<TakesInput> {
  const { productions } = store;
  const begun = await productions.begun(production.id);
  const plan = begun === undefined ? undefined : await productions.plan(begun);
  return {
    account,
    production,
    takes: await takesOf(store, account, production.id),
    choices: await store.directing.choices(production.id),
    sideBySide: new Map(plan?.shots.map((shot) => [shot.id, shot.takes])),
  };
}

/** Keys of the takes whose output is completely in the store. */
export async function storedTakeKeys(
  { assets }: StoreView,
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
): Promise<ReadonlySet<string>> {
  const keys = await Promise.all(
    [...takes.values()].flat().map(async (history) => {
      const output = currentOutput(history);
      return output !== undefined && (await isOutputStored(assets, output)) ? [history.intent.takeKey] : [];
    }),
  );
  return new Set(keys.flat());
}
