import { type FrozenProduction } from '../../contracts/render/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { askKey, type Store, type TakeHistory, takesOfAsk } from '../../store';

/** The newest take of a single task, from `dailies generate` or from a program; undefined if there is none yet. */
export async function generationTake(
  store: Store,
  account: string,
  { shots: [shot] }: FrozenProduction,
): Promise<TakeHistory | undefined> {
  if (shot === undefined) return undefined;
  const ask = askKey({ account, productionId: GENERATIONS, shot, links: [] });
  const takes = await store.ledger.takes(GENERATIONS, shot.id);
  return takesOfAsk(takes, ask).at(-1);
}
