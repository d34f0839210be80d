import {
  type ChooseTakeInput,
  type DecisionActivities,
  type RecordedChoice,
  type TaskInput,
} from '../../contracts/activities';
import { type Choice } from '../../contracts/render/directing';
import { frameLinks } from '../../contracts/file/frame-links';
import {
  type ChoiceAddress,
  choiceAddress,
  ledgerState,
  type Store,
  type TakeHistory,
  takeOfChoice,
} from '../../store';
import { takeRef } from './claim-take';
import { failure } from '../fail';
import { type FrozenProductions } from '../frozen-productions';
import { takeOutcome } from './take-outcome';
import { linkedFrame } from '../request/task-parameters';
import { whileLedgerServes } from '../translate-error';
import { withHeartbeat } from '../with-heartbeat';

/**
 * Makes the activity that records which take is chosen for a shot with the given linked frames. Returns the take that
 * is chosen afterwards: another take if the existing choice may not be replaced; null if no take is chosen, or the
 * chosen take cannot be used (`takeOfChoice`).
 *
 * Uses only the store, and can safely be retried.
 *
 * @throws LedgerUnavailable (retried), AssetMissing (final).
 */
export function createChooseTake(
  account: string,
  store: Store,
  productions: FrozenProductions,
): DecisionActivities['chooseTake'] {
  return (input) =>
    withHeartbeat(async () => {
      const { production, productionId, shotId, links } = input.task;
      const shot = await productions.shot(production, shotId);
      // Check that all linked frames are known.
      for (const link of frameLinks(shot)) linkedFrame(links, link);
      return whileLedgerServes(async () => {
        const takes = await store.ledger.takes(productionId, shotId);
        const choice = await choose(store, choiceAddress({ account, productionId, shot, links }), takes, input);
        const chosen = takeOfChoice(takes, choice);
        return choice === undefined || chosen === undefined ? null : recordedChoice(store, input.task, choice, chosen);
      });
    });
}

/**
 * Records the choice if it may replace the existing choice. An existing choice without a usable take (`takeOfChoice`)
 * is always replaced.
 */
async function choose(
  store: Store,
  address: ChoiceAddress,
  takes: readonly TakeHistory[],
  { task, take, takeKey, by }: ChooseTakeInput,
): Promise<Choice | undefined> {
  const { directing } = store;
  const before = await directing.choice(address);
  if (take === null) return before;
  // Prefer the key: in a restored ledger the workflow's take number may belong to another take.
  const isWanted = (one: TakeHistory): boolean =>
    takeKey === undefined ? one.take === take : one.intent.takeKey === takeKey;
  const history = takes.find(isWanted);
  if (history === undefined) throw failure('AssetMissing', `the ledger has no take ${take} of ${task.shotId}`);
  const wanted = { takeKey: history.intent.takeKey, take: history.take, by, approved: by !== 'first' };
  if (before === undefined && by === 'first') return directing.chooseFirst(address, wanted);
  if (before !== undefined && takeOfChoice(takes, before) !== undefined && !mayReplace(before, wanted)) return before;
  await directing.choose(address, wanted);
  return wanted;
}

/**
 * `first` replaces nothing. `person` replaces any choice, unless the same take is already approved. `default` replaces
 * only a choice that is not approved.
 */
function mayReplace(before: Choice, { takeKey, by }: Choice): boolean {
  if (by === 'first') return false;
  return by === 'person' ? !(before.approved && before.takeKey === takeKey) : !before.approved;
}

async function recordedChoice(
  store: Store,
  task: TaskInput,
  { approved }: Choice,
  history: TakeHistory,
): Promise<RecordedChoice | null> {
  const now = ledgerState(history);
  if (now.is === 'sendable' || now.is === 'sending') return null;
  return { approved, taken: await takeOutcome(store, takeRef(task, history), now, history) };
}
