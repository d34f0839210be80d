import { type RenderPlan } from '../../contracts/render/render-plan';
import { Refused } from '../wording/refused';

/** The consequences of a change, and an identifier of the change. */
export interface PlannedChange {
  readonly follows: RenderPlan;
  /** Identifies the versions before and after the change; for a render, the production and its rules. */
  readonly version: string;
}

/**
 * True if an agreement to the plan `seen` covers the plan `now`: the version is equal, no shot makes more takes, the
 * price is not higher, and all unclear takes were unclear in `seen`. Fewer takes and a lower price are allowed, because
 * takes may have been rendered meanwhile.
 */
export function isAsSeen(seen: PlannedChange, now: PlannedChange): boolean {
  const paid = ({ follows }: PlannedChange): ReadonlyMap<string, number> =>
    new Map(follows.shots.map(({ shot, newTakes }) => [shot, newTakes]));
  const before = paid(seen);
  const warned = new Set(seen.follows.unclear?.map(({ shot, take }) => `${shot}/${take}`));
  const warnsOfNoMore = (now.follows.unclear ?? []).every(({ shot, take }) => warned.has(`${shot}/${take}`));
  const isNoMore = [...paid(now)].every(([shot, takes]) => takes <= (before.get(shot) ?? 0));
  return (
    seen.version === now.version && isNoMore && warnsOfNoMore && costsNoMore(seen.follows.quote, now.follows.quote)
  );
}

/** @throws Refused if the plan `seen` is given and `isAsSeen` is false. */
export function checkAsSeen(seen: PlannedChange | undefined, now: PlannedChange): void {
  if (seen !== undefined && !isAsSeen(seen, now)) throw new Refused(NOT_AS_SEEN);
}

const NOT_AS_SEEN =
  'nothing was done, because this is not what was planned: the production or its file has changed, another take is ' +
  'unclear, or more takes or credits are needed; plan it again';

function costsNoMore(seen: RenderPlan['quote'], now: RenderPlan['quote']): boolean {
  const known = ({ credits, estimated }: RenderPlan['quote']): number => credits + (estimated?.credits ?? 0);
  return now.unknown <= seen.unknown && known(now) <= known(seen);
}
