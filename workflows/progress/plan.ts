import type { LinkedFrame } from '../../contracts/activities';
import type { AssetRef } from '../../contracts/asset';
import type { FrameLink } from '../../contracts/render/frozen';
import type { ShotState } from '../../contracts/states';
import type { PlannedShot, ProductionPlan } from '../../contracts/render/plan';
import type { TakeProgress } from '../../contracts/render/take';

/** Decides which shots may start and which never will. Pure, so that it can be tested without a server. */

/** The facts about a shot that the plan needs. */
export interface ShotFacts {
  readonly state: ShotState;
  /** The chosen take, if shots that link to this shot may use it. Other takes of the shot may still be under way. */
  readonly take?: TakeProgress;
  /** Whether the shot waits for the budget. Such a shot may continue by itself, so it counts as in flight. */
  readonly waitsForBudget: boolean;
}

export type FactsByShot = ReadonlyMap<string, ShotFacts>;

/** Returns the pending shots whose linked shots all have a take, in film order, as far as `maxInFlight` allows. */
export function startable({ shots, maxInFlight }: ProductionPlan, facts: FactsByShot): readonly PlannedShot[] {
  const inFlight = [...facts.values()].filter(
    ({ state, waitsForBudget }) => state === 'rendering' || waitsForBudget,
  ).length;
  return shots
    .filter(({ id }) => stateOf(facts, id) === 'pending')
    .filter(({ links }) => links.every((link) => facts.get(link.shot)?.take !== undefined))
    .slice(0, Math.max(0, maxInFlight - inFlight));
}

/**
 * Returns the pending shots that depend, directly or not, on a shot that will have no chosen take. Maps each of them
 * to its first linked shot that will have none.
 */
export function blocked({ shots }: ProductionPlan, facts: FactsByShot): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const isLost = (id: string): boolean => found.has(id) || LOST.has(stateOf(facts, id));
  for (let grew = true; grew;) {
    grew = false;
    for (const { id, links } of shots) {
      if (found.has(id) || stateOf(facts, id) !== 'pending') continue;
      const lost = links.find((link) => isLost(link.shot));
      if (lost === undefined) continue;
      found.set(id, lost.shot);
      grew = true;
    }
  }
  return found;
}

/** Returns the frames, pictures and texts that a shot uses. Call it when all linked shots have a take. */
export function linkedFrames({ links }: PlannedShot, facts: FactsByShot): readonly LinkedFrame[] {
  return links.flatMap(({ shot, frame }) => {
    const take = facts.get(shot)?.take;
    const asset = take === undefined ? null : assetOf(take, frame);
    return take === undefined || asset === null ? [] : [{ shot, frame, takeKey: take.takeKey, asset }];
  });
}

function assetOf({ asset, firstFrame, lastFrame }: TakeProgress, frame: FrameLink['frame']): AssetRef | null {
  switch (frame) {
    case 'first':
      return firstFrame;
    case 'last':
      return lastFrame?.asset ?? null;
    case 'whole':
      return asset;
  }
}

const LOST: ReadonlySet<ShotState> = new Set(['failed', 'blocked', 'skipped', 'cancelled']);

function stateOf(facts: FactsByShot, id: string): ShotState {
  return facts.get(id)?.state ?? 'pending';
}
