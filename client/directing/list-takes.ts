import { type ListedTake } from '../../contracts/render/listed-take';
import { chargeOf, hasCompleted, ledgerState, type Store, type TakeHistory } from '../../store';
import { currentShots } from '../records/current-takes';
import { stateOf } from '../records/takes';
import { changesOf, hashInWords } from '../plan/changes';
import { takesInStore } from '../records/takes-in-store';
import { type KnownProduction } from './known-production';

/** All takes of a production: first the takes of its shots in the film's order, then the takes of removed shots. */
export async function listTakes(
  store: Store,
  account: string,
  { production }: KnownProduction,
): Promise<readonly ListedTake[]> {
  const inStore = await takesInStore(store, account, production);
  const { takes } = inStore;
  const shots = currentShots(inStore);
  const frames = frameNames(takes);
  const ids = new Set([...production.shots.map(({ id }) => id), ...[...takes.keys()].toSorted()]);
  const listed = [...ids].flatMap((id) => {
    const { take: current, choice } = shots.get(id) ?? {};
    const chosen = current !== undefined && hasCompleted(current) ? current.take : undefined;
    return (takes.get(id) ?? []).map(async (history, index, all): Promise<ListedTake> => {
      const { take, intent, settled, output } = history;
      const now = ledgerState(history);
      const isThere = output !== undefined && (await store.assets.has(output.asset));
      return {
        shot: id,
        take,
        state: stateOf(history),
        at: intent.at,
        chosen: take === chosen,
        approved: take === chosen && choice?.approved === true,
        changes: changesSincePrevious(history, all[index - 1], frames),
        taskId: settled?.taskId ?? (now.is === 'accepted' ? now.taskId : null),
        credits: chargeOf(history),
        path: isThere ? store.assets.shownPath(output.asset) : null,
        mediaType: isThere ? output.asset.mediaType : null,
      };
    });
  });
  return Promise.all(listed);
}

function changesSincePrevious(
  { intent }: TakeHistory,
  before: TakeHistory | undefined,
  frames: FrameNames,
): ListedTake['changes'] {
  if (before === undefined) return null;
  return changesOf(before.intent, intent).map(({ parameter, from, to }) => ({
    parameter,
    from: named(from, frames),
    to: named(to, frames),
  }));
}

/** Names such as `last frame of dawn, take 2`, by the `sha256:<hash>` that the ledger has for a linked frame. */
type FrameNames = ReadonlyMap<unknown, string>;

function frameNames(takes: ReadonlyMap<string, readonly TakeHistory[]>): FrameNames {
  const names = new Map<unknown, string>();
  for (const [shot, histories] of takes) {
    for (const { take, output } of histories) {
      const { firstFrame, lastFrame } = output ?? {};
      if (firstFrame != null) names.set(hashInWords(firstFrame.sha256), `first frame of ${shot}, take ${take}`);
      if (lastFrame != null) names.set(hashInWords(lastFrame.asset.sha256), `last frame of ${shot}, take ${take}`);
    }
  }
  return names;
}

type Value = NonNullable<ListedTake['changes']>[number]['from'];

function named(value: Value, frames: FrameNames): Value {
  return Array.isArray(value) ? value.map((one) => named(one, frames)) : (frames.get(value) ?? value);
}
