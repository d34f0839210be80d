import { resolveCommand } from '../../contracts/commands';
import { type ProductionStatus } from '../../contracts/status';
import { hasCompleted, type Store } from '../../store';
import { type BookedTake } from './booked-takes';
import { type CurrentShot, currentShots } from './current-takes';
import { readFrozen } from './read-frozen';
import { takesInStore } from './takes-in-store';
import { hasCompletedBeside } from './unclear-submit';

/** A production whose render has ended, so that no workflow accepts a decision. */
export interface EndedRender {
  /** The command that renders the production again. */
  readonly again: string;
  /**
   * What the next render does with an unclear take. `parks`: it asks for a decision. `spare`: it uses another,
   * completed take of the same request. `past`: it ignores the take, which belongs to an earlier request.
   */
  readonly standing: (shot: string, take: number) => 'parks' | 'spare' | 'past';
}

/** Reads which takes are current. If the frozen production is lost or damaged, all takes count as current. */
export async function endedRender(
  store: Store,
  account: string,
  { frozen }: Pick<ProductionStatus, 'frozen'>,
  again: string,
): Promise<EndedRender> {
  const production = await readFrozen(store.assets, frozen).catch(() => undefined);
  if (production === undefined) return { again, standing: () => 'parks' };
  return endedWith(currentShots(await takesInStore(store, account, production)), again);
}

export function endedWith(current: ReadonlyMap<string, CurrentShot>, again: string): EndedRender {
  const standing: EndedRender['standing'] = (shot, take) => {
    const { siblings = [], take: chosen } = current.get(shot) ?? {};
    if (![...siblings, chosen].some((one) => one?.take === take)) return 'past';
    return chosen !== undefined && chosen.take !== take && hasCompleted(chosen) ? 'spare' : 'parks';
  };
  return { again, standing };
}

/**
 * The next command for an unclear take. The first case that applies decides:
 *
 * - The render has ended, and the shot's request has changed: skip the take.
 * - The shot has another, completed take: adopt, resubmit or skip this take; `--use` is not possible. The command
 *   writes the decision to the ledger, because no workflow waits for this take.
 * - The render is running: decide about the take. The command names the take if the shot has several takes, because
 *   another take may be parked too.
 * - The render has ended: render again. The new render parks the take, or follows the file's `onUnclear`.
 *
 * @param ended given only if the production's render has ended.
 */
export function unclearCommand(
  { production, shot, history }: BookedTake,
  all: readonly BookedTake[],
  ended?: EndedRender,
): string {
  const { take } = history;
  const ofShot = all.filter((one) => one.production === production && one.shot === shot);
  const isBeside = hasCompletedBeside(
    history,
    ofShot.map((one) => one.history),
  );
  const standing = ended?.standing(shot, take) ?? (isBeside ? 'spare' : 'waits');
  switch (standing) {
    case 'past':
      return `dailies resolve ${production} ${shot} --take ${take} --skip`;
    case 'spare':
      return `dailies resolve ${production} ${shot} --take ${take} --adopt TASK_ID | --resubmit | --skip`;
    case 'parks':
      return ended?.again ?? '';
    case 'waits':
      return resolveCommand(production, shot, 'unclear', ofShot.length <= 1 ? [] : [{ take, for: 'unclear' }]);
  }
}
