import { type TaskInput } from '../contracts/activities';
import { type FrozenShot } from '../contracts/frozen';
import { type TakeRef } from '../contracts/take';
import {
  askKey,
  type Intent,
  isOver,
  openGap,
  restoredMark,
  type Store,
  takeKey,
  takesOfAsk,
  type TakeHistory,
} from '../store';

/**
 * Finds the take that this ask is about, or claims a new one by writing its intent.
 *
 * The newest take of the same ask answers, whoever made it, unless it is over. `describe` is asked for a new one only.
 */
export async function claimTake(
  store: Store,
  account: string,
  shot: FrozenShot,
  input: TaskInput,
  describe: () => Promise<Pick<Intent, 'parameters' | 'carried'>>,
): Promise<TakeRef> {
  const { productionId, shotId, renderId, attempt } = input;
  const ask = askKey({ account, productionId, shot, links: input.links, sibling: input.sibling });
  const gap = await openGap(store.records);
  for (;;) {
    const takes = await store.ledger.takes(productionId, shotId);
    const same = takesOfAsk(takes, ask);
    const newest = same.at(-1);
    if (newest !== undefined && !isOver(newest, input)) return takeRef(input, shot, newest);
    const count = same.length;
    const take = (takes.at(-1)?.take ?? 0) + 1;
    const intent = {
      takeKey: takeKey(ask, count),
      askKey: ask,
      count,
      account,
      renderId,
      attempt,
      model: shot.model,
      ...(await describe()),
      at: new Date().toISOString(),
      ...restoredMark(gap, same),
    };
    // Where another has just claimed this number, what it claimed may be the same ask: look again.
    if (await store.ledger.intend({ productionId, shotId, take }, intent)) {
      return takeRef(input, shot, { take, intent });
    }
  }
}

function takeRef(
  { productionId, shotId }: TaskInput,
  { model }: FrozenShot,
  { take, intent }: Pick<TakeHistory, 'take' | 'intent'>,
): TakeRef {
  return {
    productionId,
    shotId,
    take,
    takeKey: intent.takeKey,
    model: { id: model.id, ...(model.workflow === undefined ? {} : { workflow: model.workflow }) },
  };
}
