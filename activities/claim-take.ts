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
  const { productionId, shotId, renderId, attempt } = input;
  const gap = await openGap(store.records);
  for (;;) {
    const { takes, ask, same, found } = await takesFor(store, account, shot, input);
    if (found !== undefined) return takeRef(input, found);
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

/** The take that this ask is about; undefined if none was claimed. */
export async function findTake(
  store: Store,
  account: string,
  shot: FrozenShot,
  input: TaskInput,
): Promise<TakeRef | undefined> {
  const { found } = await takesFor(store, account, shot, input);
  return found && takeRef(input, found);
}

async function takesFor(
  store: Store,
  account: string,
  shot: FrozenShot,
  input: TaskInput,
): Promise<{
  readonly takes: readonly TakeHistory[];
  readonly ask: string;
  /** Those of the same ask. */
  readonly same: readonly TakeHistory[];
  /** The one that answers. */
  readonly found: TakeHistory | undefined;
}> {
  const { productionId, shotId, links, sibling } = input;
  const ask = askKey({ account, productionId, shot, links, sibling });
  const takes = await store.ledger.takes(productionId, shotId);
  const same = takesOfAsk(takes, ask);
  const newest = same.at(-1);
  const choice = await createDirecting(store.records).choice(choiceAddress({ account, productionId, shot, links }));
  const chosen = takeOfChoice(takes, choice);
  const answering = (): TakeHistory | undefined => {
    if (chosen !== undefined && newest?.pruned !== undefined) return chosen;
    if (newest !== undefined && (chosen !== undefined || !isOver(newest, input))) return newest;
    return sibling === 0 ? chosen : undefined;
  };
  return { takes, ask, same, found: answering() };
}

/** By its own model: a take that is chosen need not be of the model that is asked for. */
export function takeRef(
  { productionId, shotId }: Pick<TaskInput, 'productionId' | 'shotId'>,
  { take, intent: { takeKey: key, model } }: Pick<TakeHistory, 'take' | 'intent'>,
): TakeRef {
  const { id, workflow } = model;
  return { productionId, shotId, take, takeKey: key, model: { id, ...(workflow === undefined ? {} : { workflow }) } };
}
