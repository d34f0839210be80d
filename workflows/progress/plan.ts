import type { LinkedFrame } from '../../contracts/activities';
import type { AssetRef } from '../../contracts/asset';
import type { FrameLink } from '../../contracts/frozen';
import type { ShotState } from '../../contracts/manifest';
import type { PlannedShot, ProductionPlan } from '../../contracts/plan';
import type { TakeProgress } from '../../contracts/take';

/** Which shots may start, and which never will: pure, so that it is tested without a server. */

/** What the plan needs to know of a shot. */
export interface ShotStanding {
  readonly state: ShotState;
  /** Present once it stands for the shot, which may be while others are still under way. */
  readonly take?: TakeProgress;
  /** Whether it waits for the budget: it goes on by itself, and keeps its place among those in flight. */
  readonly waitsForBudget: boolean;
}

export type Standings = ReadonlyMap<string, ShotStanding>;

/** Pending shots whose links all have their take, in the film's order, no more than still fit. */
export function startable({ shots, maxInFlight }: ProductionPlan, standings: Standings): readonly PlannedShot[] {
  const inFlight = [...standings.values()].filter(
    ({ state, waitsForBudget }) => state === 'rendering' || waitsForBudget,
  ).length;
  return shots
    .filter(({ id }) => stateOf(standings, id) === 'pending')
    .filter(({ links }) => links.every((link) => standings.get(link.shot)?.take !== undefined))
    .slice(0, Math.max(0, maxInFlight - inFlight));
}

/** Pending shots that wait, directly or not, for one that will not be rendered; each with that shot's id. */
export function blocked({ shots }: ProductionPlan, standings: Standings): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const isLost = (id: string): boolean => found.has(id) || LOST.has(stateOf(standings, id));
  for (let grew = true; grew;) {
    grew = false;
    for (const { id, links } of shots) {
      if (found.has(id) || stateOf(standings, id) !== 'pending') continue;
      const lost = links.find((link) => isLost(link.shot));
      if (lost === undefined) continue;
      found.set(id, lost.shot);
      grew = true;
    }
  }
  return found;
}

/** What a shot uses of others, by reference. Every shot it links to has its take. */
export function linkedFrames({ links }: PlannedShot, standings: Standings): readonly LinkedFrame[] {
  return links.flatMap(({ shot, frame }) => {
    const take = standings.get(shot)?.take;
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

function stateOf(standings: Standings, id: string): ShotState {
  return standings.get(id)?.state ?? 'pending';
}
