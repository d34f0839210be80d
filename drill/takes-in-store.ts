import { type Store } from '../store';
import { type DrillProduction } from './productions';
import { type ReckonedTake } from './reckoning';

/** Every take of these productions in the ledger, and whether its bytes are in the store. */
export async function takesInStore(store: Store, films: readonly DrillProduction[]): Promise<readonly ReckonedTake[]> {
  const takes: ReckonedTake[] = [];
  for (const { frozen } of films) {
    for (const { id: shot } of frozen.shots) {
      for (const history of await store.ledger.takes(frozen.id, shot)) {
        const asset = history.output?.asset;
        const isStored = asset !== undefined && (await store.assets.has(asset));
        takes.push({ production: frozen.id, shot, history, isStored });
      }
    }
  }
  return takes;
}
