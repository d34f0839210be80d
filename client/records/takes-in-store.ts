import { type FrozenProduction } from '../../contracts/frozen';
import { createDirecting, isWhole, leftBy, type StoreView, type TakeHistory } from '../../store';
import { type TakesInput } from './current-takes';
import { takesOf } from './takes';
import { createProductionRecords } from './production-records';

/** Reads from the store what determines the chosen takes of a production, by the plan of its last render. */
export async function takesInStore(
  store: StoreView,
  account: string,
  production: FrozenProduction,
): Promise<TakesInput> {
  const records = createProductionRecords(store);
  const begun = await records.begun(production.id);
  const plan = begun === undefined ? undefined : await records.plan(begun);
  return {
    account,
    production,
    takes: await takesOf(store, account, production.id),
    choices: await createDirecting(store.records).choices(production.id),
    sideBySide: new Map(plan?.shots.map((shot) => [shot.id, shot.takes])),
  };
}

/** Keys of the takes whose output is completely in the store. */
export async function wholeTakes(
  { assets }: StoreView,
  takes: ReadonlyMap<string, readonly TakeHistory[]>,
): Promise<ReadonlySet<string>> {
  const keys = await Promise.all(
    [...takes.values()].flat().map(async (history) => {
      const left = leftBy(history);
      return left !== undefined && (await isWhole(assets, left)) ? [history.intent.takeKey] : [];
    }),
  );
  return new Set(keys.flat());
}
