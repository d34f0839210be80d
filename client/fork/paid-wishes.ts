import { isDeepStrictEqual } from 'node:util';
import { type Direction } from '../../contracts/directing';
import { frameLinks } from '../../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { currentShots } from '../records/current-takes';
import { type ForkSource, isUsable } from './plan-fork';

/** A request of a shot, current or earlier. */
export interface Wish {
  readonly shot: FrozenShot;
  /** The direction that it comes from; undefined if it is the file's own. */
  readonly direction: Direction | undefined;
}

/**
 * For each shot whose current request has no take in the store, such as a parked one, finds the latest earlier request
 * that has one. Pure.
 *
 * @param before the shots to reuse.
 * @param earlier requests by shot, newest first. Those that start on other frames than the current one are ignored.
 */
export function paidWishes(
  source: ForkSource,
  before: readonly FrozenShot[],
  earlier: ReadonlyMap<string, readonly Wish[]>,
): ReadonlyMap<string, Wish> {
  const wishes = new Map<string, Wish>();
  const has = (production: FrozenProduction, id: string): boolean => {
    const take = currentShots({ ...source, production }).get(id)?.take;
    return take !== undefined && isUsable(take, source.whole);
  };
  function next(production: FrozenProduction): readonly [string, Wish] | undefined {
    for (const shot of before) {
      const others = (earlier.get(shot.id) ?? []).filter((wish) => startsAlike(wish.shot, shot));
      if (wishes.has(shot.id) || others.length === 0 || has(production, shot.id)) continue;
      const paid = others.find((wish) => has(withWishes(production, new Map([[shot.id, wish]])), shot.id));
      if (paid !== undefined) return [shot.id, paid];
    }
    return undefined;
  }
  // One shot at a time: a shot's take can only be found once those that it starts on have theirs.
  for (;;) {
    const found = next(withWishes(source.production, wishes));
    if (found === undefined) return wishes;
    wishes.set(...found);
  }
}

/** The production with these requests in place of its own. */
export function withWishes(production: FrozenProduction, wishes: ReadonlyMap<string, Wish>): FrozenProduction {
  return { ...production, shots: production.shots.map((shot) => wishes.get(shot.id)?.shot ?? shot) };
}

function startsAlike(one: FrozenShot, other: FrozenShot): boolean {
  return isDeepStrictEqual(frameLinks(one), frameLinks(other));
}
