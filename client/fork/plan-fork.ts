import { type Choice } from '../../contracts/directing';
import { frameLinks } from '../../contracts/frame-links';
import { type FrozenShot } from '../../contracts/frozen';
import {
  askKey,
  hasCompleted,
  type LinkOrigin,
  standing,
  takeKey,
  type TakeHistory,
  type TakeStanding,
} from '../../store';
import { currentShots, type TakesInput } from '../records/current-takes';

const ENDED: ReadonlySet<TakeStanding['is']> = new Set(['settled', 'used', 'refused']);

export interface ForkSource extends TakesInput {
  /** Keys of the takes whose output is completely in the store. */
  readonly whole: ReadonlySet<string>;
}

/** A take of the new production that reuses one of the old. */
export interface PlannedAlias {
  /** Counts from 1 within the shot of the new production. */
  readonly take: number;
  readonly askKey: string;
  readonly takeKey: string;
  readonly source: TakeHistory;
}

export interface ForkedShot {
  readonly shot: string;
  /** The chosen take and those side by side with it, so that the new production does not pay for them again. */
  readonly aliases: readonly PlannedAlias[];
  readonly standing: PlannedAlias;
  /** The choice as recorded in the new production; undefined if there is only one take and nobody has chosen. */
  readonly choice: Choice | undefined;
  /** The ask key of the shot's first variant in the new production. */
  readonly context: string;
}

export interface ForkPlan {
  /** In the order of the film. */
  readonly reused: readonly ForkedShot[];
  /** Shots before the first new one that cannot be reused. */
  readonly left: readonly { readonly shot: string; readonly because: string }[];
}

/**
 * Plans which takes a fork reuses, and under which keys the new production's render finds them. Pure.
 *
 * @param before the shots to reuse if possible.
 */
export function planFork(source: ForkSource, newId: string, before: readonly FrozenShot[]): ForkPlan {
  const { account, whole } = source;
  const current = currentShots(source);
  const wanted = new Map(before.map((shot) => [shot.id, shot]));
  const found = new Map<string, ForkedShot | string>();

  /**
   * The fork of a shot, or why it cannot be reused. Terminates, because checked productions have no cycles of links.
   */
  function fork(shot: FrozenShot): ForkedShot | string {
    const { take: stands, siblings = [], choice } = current.get(shot.id) ?? {};
    if (stands === undefined || !isUsable(stands, whole)) return 'it has no take in the store';
    const links: LinkOrigin[] = [];
    for (const { shot: id, frame } of frameLinks(shot)) {
      const origin = forkOf(id);
      if (origin === undefined) return `it starts on a frame of "${id}", which is new`;
      links.push({ shot: id, frame, takeKey: origin.standing.takeKey });
    }
    // A chosen take of another request takes the place of the first take side by side, as in the old production.
    const [first, ...others] = siblings;
    const beside = siblings.includes(stands) ? [first, ...others] : [stands, ...others];
    const aliases = beside
      .flatMap((take, sibling) => (take !== undefined && hasEnded(take) ? [{ source: take, sibling }] : []))
      .toSorted((a, b) => a.source.take - b.source.take)
      .map(({ source: paid, sibling }, index): PlannedAlias => {
        const ask = askKey({ account, productionId: newId, shot, links, sibling });
        return { take: index + 1, askKey: ask, takeKey: takeKey(ask, 0), source: paid };
      });
    const standing = aliases.find((alias) => alias.source === stands);
    if (standing === undefined) return 'its take answers another ask';
    const { by = 'first', approved = false } = choice ?? {};
    const { take, takeKey: key } = standing;
    return {
      shot: shot.id,
      aliases,
      standing,
      choice: choice === undefined && aliases.length === 1 ? undefined : { take, takeKey: key, by, approved },
      context: askKey({ account, productionId: newId, shot, links }),
    };
  }

  function forkOf(id: string): ForkedShot | undefined {
    const shot = wanted.get(id);
    if (shot !== undefined && !found.has(id)) found.set(id, fork(shot));
    const forked = found.get(id);
    return typeof forked === 'string' ? undefined : forked;
  }

  return {
    reused: before.flatMap(({ id }) => forkOf(id) ?? []),
    left: before.flatMap(({ id }) => {
      const because = found.get(id);
      return typeof because === 'string' ? [{ shot: id, because }] : [];
    }),
  };
}

/** Includes takes that failed or were pruned: they are not rendered again either. */
function hasEnded(history: TakeHistory): boolean {
  return ENDED.has(standing(history).is);
}

/** Whether the take has completed and its output is in the store. */
export function isUsable(history: TakeHistory, whole: ReadonlySet<string>): boolean {
  return hasCompleted(history) && whole.has(history.intent.takeKey);
}
