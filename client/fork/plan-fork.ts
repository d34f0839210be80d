import { type Choice } from '../../contracts/render/directing';
import { frameLinks } from '../../contracts/file/frame-links';
import { type FrozenShot } from '../../contracts/render/frozen';
import {
  askKey,
  hasCompleted,
  type LinkOrigin,
  ledgerState,
  takeKey,
  type TakeHistory,
  type LedgerState,
} from '../../store';
import { currentShots, type TakesInput } from '../records/current-takes';

const ENDED: ReadonlySet<LedgerState['is']> = new Set(['settled', 'used', 'refused']);

export interface ForkSource extends TakesInput {
  /** Keys of the takes whose output is completely in the store. */
  readonly storedTakeKeys: ReadonlySet<string>;
}

/** A take of the new production that reuses a take of the old one. */
export interface PlannedAlias {
  /** Counts from 1 within the shot of the new production. */
  readonly take: number;
  readonly askKey: string;
  readonly takeKey: string;
  readonly source: TakeHistory;
}

export interface ForkedShot {
  readonly shot: string;
  /** Aliases of the current take and the ended takes beside it: the new production does not pay for these again. */
  readonly aliases: readonly PlannedAlias[];
  /** The alias of the old shot's current take. */
  readonly currentAlias: PlannedAlias;
  /** The choice to record in the new production; undefined if the old one has no choice and there is one alias. */
  readonly choice: Choice | undefined;
  /** The ask key of the shot's first take (`sibling` 0) in the new production. */
  readonly context: string;
}

export interface ForkPlan {
  /** In the order of the film. */
  readonly reused: readonly ForkedShot[];
  /** Shots that cannot be reused, with the reason. */
  readonly left: readonly { readonly shot: string; readonly because: string }[];
}

/**
 * Plans the takes that a fork reuses, and the keys under which a render of the new production finds them. Pure.
 *
 * @param before the shots to reuse if possible.
 */
export function planFork(source: ForkSource, newId: string, before: readonly FrozenShot[]): ForkPlan {
  const { account, storedTakeKeys } = source;
  const current = currentShots(source);
  const wanted = new Map(before.map((shot) => [shot.id, shot]));
  const forks = new Map<string, ForkedShot | string>();

  /** The forked shot, or the reason why it cannot be reused. Terminates, because checked productions have no cycles. */
  function fork(shot: FrozenShot): ForkedShot | string {
    const { take: currentTake, siblings = [], choice } = current.get(shot.id) ?? {};
    if (currentTake === undefined || !isUsable(currentTake, storedTakeKeys)) return 'it has no take in the store';
    const links: LinkOrigin[] = [];
    for (const { shot: id, frame } of frameLinks(shot)) {
      const origin = forkOf(id);
      if (origin === undefined) return `it uses the output of "${id}", which is not reused`;
      links.push({ shot: id, frame, takeKey: origin.currentAlias.takeKey });
    }
    // If the current take is none of `siblings`, it replaces the first of them.
    const [first, ...others] = siblings;
    const beside = siblings.includes(currentTake) ? [first, ...others] : [currentTake, ...others];
    const aliases = beside
      .flatMap((take, sibling) => (take !== undefined && hasEnded(take) ? [{ source: take, sibling }] : []))
      .toSorted((a, b) => a.source.take - b.source.take)
      .map(({ source: paid, sibling }, index): PlannedAlias => {
        const ask = askKey({ account, productionId: newId, shot, links, sibling });
        return { take: index + 1, askKey: ask, takeKey: takeKey(ask, 0), source: paid };
      });
    const currentAlias = aliases.find((alias) => alias.source === currentTake);
    if (currentAlias === undefined) return 'its take belongs to another request';
    const { by = 'first', approved = false } = choice ?? {};
    const { take, takeKey: key } = currentAlias;
    return {
      shot: shot.id,
      aliases,
      currentAlias,
      choice: choice === undefined && aliases.length === 1 ? undefined : { take, takeKey: key, by, approved },
      context: askKey({ account, productionId: newId, shot, links }),
    };
  }

  function forkOf(id: string): ForkedShot | undefined {
    const shot = wanted.get(id);
    if (shot !== undefined && !forks.has(id)) forks.set(id, fork(shot));
    const forked = forks.get(id);
    return typeof forked === 'string' ? undefined : forked;
  }

  return {
    reused: before.flatMap(({ id }) => forkOf(id) ?? []),
    left: before.flatMap(({ id }) => {
      const because = forks.get(id);
      return typeof because === 'string' ? [{ shot: id, because }] : [];
    }),
  };
}

/** True also for takes that failed or were pruned: the new production does not render these again. */
function hasEnded(history: TakeHistory): boolean {
  return ENDED.has(ledgerState(history).is);
}

/** Whether the take has completed and its output is in the store. */
export function isUsable(history: TakeHistory, storedTakeKeys: ReadonlySet<string>): boolean {
  return hasCompleted(history) && storedTakeKeys.has(history.intent.takeKey);
}
