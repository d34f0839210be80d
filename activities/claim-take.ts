import { setTimeout as sleep } from 'node:timers/promises';
import { type TaskInput } from '../contracts/activities';
import { type FrozenShot } from '../contracts/frozen';
import { type TakeRef } from '../contracts/take';
import {
  askKey,
  choiceAddress,
  createDirecting,
  type Intent,
  isOver,
  nextCount,
  openGap,
  restoredMark,
  type Store,
  takeKey,
  takeOfChoice,
  takesOfAsk,
  type TakeHistory,
} from '../store';

/** The pause is short: another process finishes its claim within milliseconds. */
const LOOK_AGAIN_MS = 50;

/**
 * Finds the take that this ask is about, or claims a new one by writing its intent.
 *
 * The newest take of the same ask answers, whoever made it, unless it is over. Where a take is chosen for the shot, none
 * that is over is tried again, and the chosen one stands in for the first that nobody has asked for yet, and for those
 * whose clips a person had freed. `describe` is asked for a new one only.
 */
export async function claimTake(
  store: Store,
  account: string,
  shot: FrozenShot,
  input: TaskInput,
  describe: () => Promise<Pick<Intent, 'parameters' | 'carried'>>,
): Promise<TakeRef> {
  const { productionId, shotId, renderId, attempt, links, sibling } = input;
  const ask = askKey({ account, productionId, shot, links, sibling });
  const choices = choiceAddress({ account, productionId, shot, links });
  const directing = createDirecting(store.records);
  const gap = await openGap(store.records);
  for (;;) {
    const takes = await store.ledger.takes(productionId, shotId);
    const same = takesOfAsk(takes, ask);
    const newest = same.at(-1);
    const chosen = takeOfChoice(takes, await directing.choice(choices));
    if (chosen !== undefined && newest?.pruned !== undefined) return takeRef(input, chosen);
    if (newest !== undefined && (chosen !== undefined || !isOver(newest, input))) return takeRef(input, newest);
    if (chosen !== undefined && sibling === 0) return takeRef(input, chosen);
    const count = nextCount(same, ask);
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
      return takeRef(input, { take, intent });
    }
    // Over NFS a listing of the folder may be stale.
    await sleep(LOOK_AGAIN_MS);
  }
}

/** By its own model: a take that is chosen need not be of the model that is asked for. */
export function takeRef(
  { productionId, shotId }: Pick<TaskInput, 'productionId' | 'shotId'>,
  { take, intent: { takeKey: key, model } }: Pick<TakeHistory, 'take' | 'intent'>,
): TakeRef {
  const { id, workflow } = model;
  return { productionId, shotId, take, takeKey: key, model: { id, ...(workflow === undefined ? {} : { workflow }) } };
}
