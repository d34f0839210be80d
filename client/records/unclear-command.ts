import { resolveCommand } from '../../contracts/commands';
import { type ProductionStatus } from '../../contracts/status';
import { ledgerState, readableTakes, type Store } from '../../store';
import { type BookedTake } from './booked-takes';
import { type CurrentShot, currentShots } from './current-takes';
import { readFrozen } from './read-frozen';
import { takesInStore } from './takes-in-store';
import { openUnclear } from './unclear-submit';

/** A production whose render has ended, so that no workflow accepts a decision. */
export interface EndedRender {
  /** The command that renders the production again. */
  readonly again: string;
  /** True if the take answers the shot's present request. The next render then parks the take. */
  readonly isCurrent: (shot: string, take: number) => boolean;
}

/** Reads which takes are current. If the frozen production is lost or damaged, all takes count as current. */
export async function endedRender(
  store: Store,
  account: string,
  { frozen }: Pick<ProductionStatus, 'frozen'>,
  again: string,
): Promise<EndedRender> {
  const production = await readFrozen(store.assets, frozen).catch(() => undefined);
  if (production === undefined) return { again, isCurrent: () => true };
  return endedWith(currentShots(await takesInStore(store, account, production)), again);
}

export function endedWith(current: ReadonlyMap<string, CurrentShot>, again: string): EndedRender {
  const isCurrent: EndedRender['isCurrent'] = (shot, take) => {
    const { siblings = [], take: chosen } = current.get(shot) ?? {};
    return [...siblings, chosen].some((one) => one?.take === take);
  };
  return { again, isCurrent };
}

/**
 * The next command for an unclear take.
 *
 * While the render runs, the command decides about the take. It names the take if the shot has several takes, because
 * another take may be parked too. After the render has ended, the command renders again, and that render parks the take
 * for a decision. If the shot's request has changed since, no render waits for the take, so the command leaves it out.
 *
 * @param ended given only if the production's render has ended.
 */
export function unclearCommand(
  { production, shot, history: { take } }: BookedTake,
  all: readonly BookedTake[],
  ended?: EndedRender,
): string {
  if (ended?.isCurrent(shot, take) === false) return `dailies resolve ${production} ${shot} --take ${take} --skip`;
  if (ended !== undefined) return ended.again;
  const isOnlyOne = all.filter((one) => one.production === production && one.shot === shot).length <= 1;
  return resolveCommand(production, shot, 'unclear', isOnlyOne ? [] : [{ take, for: 'unclear' }]);
}

/**
 * Leaves out an unclear take that no workflow waits for, by a decision in the ledger.
 *
 * @param take null is allowed only if the shot has a single take. Otherwise the decision could be about another take.
 * @returns false if the take is unknown or not unclear, or if another decision was recorded first.
 */
export async function leaveOutUnclear(
  { ledger }: Pick<Store, 'ledger'>,
  account: string,
  place: { readonly productionId: string; readonly shotId: string },
  take: number | null,
): Promise<boolean> {
  const { takes } = await readableTakes(ledger, place);
  const history = take === null && takes.length === 1 ? takes[0] : takes.find((one) => one.take === take);
  const submit = history?.intent.account === account ? openUnclear(history) : undefined;
  if (history === undefined || submit === undefined) return false;
  const [address, at] = [{ ...place, take: history.take }, new Date().toISOString()];
  // The sending's time limit has passed, but perhaps no worker has recorded this yet.
  const record = { reason: submit.reason, at };
  if (ledgerState(history).is === 'sending') await ledger.endSending(address, submit.n, { kind: 'unclear', record });
  const skip = { kind: 'skip', by: 'person', afterSending: submit.n, parkedFor: 'unclear', at } as const;
  return ledger.decide(address, history.decisions.length + 1, skip);
}
