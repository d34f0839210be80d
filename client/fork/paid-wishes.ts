import { isDeepStrictEqual } from 'node:util';
import { type Direction } from '../../contracts/directing';
import { frameLinks } from '../../contracts/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { currentShots } from '../current-takes';
import { type ForkSource, isUsable } from './plan-fork';

/** What a shot asks for, or once did. */
export interface Wish {
  readonly shot: FrozenShot;
  /** By which it asks for that; undefined if that is as its file has it. */
  readonly direction: Direction | undefined;
}

/**
 * The shots whose newest wish has no take in the store, as when it is parked, with the last earlier wish that has one.
 * Pure.
 *
 * @param before the shots that are to be reused.
 * @param earlier by shot, the newest first. Those that start on other frames than the newest are left out.
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
  // One at a time: what starts on a shot has its take once that shot has its own.
  for (;;) {
    const found = next(withWishes(source.production, wishes));
    if (found === undefined) return wishes;
    wishes.set(...found);
  }
}

/** The production as if its shots asked for that. */
export function withWishes(production: FrozenProduction, wishes: ReadonlyMap<string, Wish>): FrozenProduction {
  return { ...production, shots: production.shots.map((shot) => wishes.get(shot.id)?.shot ?? shot) };
}

function startsAlike(one: FrozenShot, other: FrozenShot): boolean {
  return isDeepStrictEqual(frameLinks(one), frameLinks(other));
}
