import { isDeepStrictEqual } from 'node:util';
import { type Direction } from '../../contracts/render/directing';
import { frameLinks } from '../../contracts/file/frame-links';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { currentShots } from '../records/current-takes';
import { type ForkSource, isUsable } from './plan-fork';

/** A request of a shot, current or earlier. */
export interface ShotRequest {
  readonly shot: FrozenShot;
  /** The direction that the request comes from; undefined if the request is the file's own. */
  readonly direction: Direction | undefined;
}

/**
 * For each shot whose current request has no usable take, finds the latest earlier request that has one. Pure.
 *
 * @param reused the shots that the fork reuses if possible.
 * @param earlier requests by shot, newest first. Requests with other links than the current request are ignored.
 */
export function paidRequests(
  source: ForkSource,
  reused: readonly FrozenShot[],
  earlier: ReadonlyMap<string, readonly ShotRequest[]>,
): ReadonlyMap<string, ShotRequest> {
  const requests = new Map<string, ShotRequest>();
  const has = (production: FrozenProduction, id: string): boolean => {
    const take = currentShots({ ...source, production }).get(id)?.take;
    return take !== undefined && isUsable(take, source.storedTakeKeys);
  };
  function next(production: FrozenProduction): readonly [string, ShotRequest] | undefined {
    for (const shot of reused) {
      const others = (earlier.get(shot.id) ?? []).filter((shotRequest) => hasSameLinks(shotRequest.shot, shot));
      if (requests.has(shot.id) || others.length === 0 || has(production, shot.id)) continue;
      const paid = others.find((shotRequest) =>
        has(withRequests(production, new Map([[shot.id, shotRequest]])), shot.id),
      );
      if (paid !== undefined) return [shot.id, paid];
    }
    return undefined;
  }
  // Replace one request at a time: a shot's take can be found only after the takes of the shots that it links to.
  for (;;) {
    const found = next(withRequests(source.production, requests));
    if (found === undefined) return requests;
    requests.set(...found);
  }
}

/** The production with the given requests in place of its shots' own requests. */
export function withRequests(
  production: FrozenProduction,
  requests: ReadonlyMap<string, ShotRequest>,
): FrozenProduction {
  return { ...production, shots: production.shots.map((shot) => requests.get(shot.id)?.shot ?? shot) };
}

function hasSameLinks(one: FrozenShot, other: FrozenShot): boolean {
  return isDeepStrictEqual(frameLinks(one), frameLinks(other));
}
