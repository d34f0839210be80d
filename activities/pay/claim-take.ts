import { setTimeout as sleep } from 'node:timers/promises';
import { type TaskInput } from '../../contracts/activities';
import { type FrozenShot } from '../../contracts/render/frozen';
import { type TakeRef } from '../../contracts/render/take';
import {
  askKey,
  choiceAddress,
  type Intent,
  needsNewTake,
  nextCount,
  restoredMark,
  type Store,
  type TakeHistory,
  takeKey,
  takeOfChoice,
  takesOfAsk,
} from '../../store';

/**
 * Pause before another look at the takes. It is short, because another process finishes its claim within milliseconds.
 */
const LOOK_AGAIN_MS = 50;

/**
 * Finds the take that answers this ask, or claims a new take by writing its intent.
 *
 * An ask is one request for a take: the frozen shot, its linked frames, and `sibling`, the index among the takes side
 * by side. Takes of all renders are candidates. The first case that applies decides:
 *
 * 1. The shot's chosen take, if the newest take of the ask was pruned (its output was removed).
 * 2. The newest take of the ask, if no new take is needed (`needsNewTake`) or if the shot has a chosen take.
 * 3. The shot's chosen take, for the first sibling of an ask without takes.
 *
 * @param describe called only for a new take.
 */
export async function claimTake(
  store: Store,
  account: string,
  shot: FrozenShot,
  input: TaskInput,
  describe: () => Promise<Pick<Intent, 'parameters' | 'carried'>>,
): Promise<TakeRef> {
  const { productionId, shotId, renderId, attempt } = input;
  const gap = await store.restores.openGap();
  for (;;) {
    const { takes, ask, sameAsk, found } = await takesFor(store, account, shot, input);
    if (found !== undefined) return takeRef(input, found);
    const count = nextCount(sameAsk, ask);
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
      ...restoredMark(gap, sameAsk),
    };
    if (await store.ledger.intend({ productionId, shotId, take }, intent)) {
      return takeRef(input, { take, intent });
    }
    // Another process has just claimed this number, perhaps for the same ask. Look again, but not at once: over NFS, a
    // listing of the folder may be stale.
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Finds the take that answers this ask; undefined if there is none. */
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
  readonly sameAsk: readonly TakeHistory[];
  /** The take that answers the ask. */
  readonly found: TakeHistory | undefined;
}> {
  const { productionId, shotId, links, sibling } = input;
  const ask = askKey({ account, productionId, shot, links, sibling });
  const takes = await store.ledger.takes(productionId, shotId);
  const sameAsk = takesOfAsk(takes, ask);
  const newest = sameAsk.at(-1);
  const choice = await store.directing.choice(choiceAddress({ account, productionId, shot, links }));
  const chosen = takeOfChoice(takes, choice);
  const answering = (): TakeHistory | undefined => {
    if (chosen !== undefined && newest?.pruned !== undefined) return chosen;
    if (newest !== undefined && (chosen !== undefined || !needsNewTake(newest, input))) return newest;
    return sibling === 0 ? chosen : undefined;
  };
  return { takes, ask, sameAsk, found: answering() };
}

/** A take's reference, with the take's own model: a chosen take may be of another model than the ask. */
export function takeRef(
  { productionId, shotId }: Pick<TaskInput, 'productionId' | 'shotId'>,
  { take, intent: { takeKey: key, model } }: Pick<TakeHistory, 'take' | 'intent'>,
): TakeRef {
  const { id, workflow } = model;
  return { productionId, shotId, take, takeKey: key, model: { id, ...(workflow === undefined ? {} : { workflow }) } };
}
