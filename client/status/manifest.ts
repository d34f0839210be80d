import { type AssetRef } from '../../contracts/asset';
import { completedTakes, resolveCommand, reviewCommand } from '../../contracts/commands';
import { type Manifest, type ManifestShot, type ManifestTake } from '../../contracts/manifest';
import { type ProductionStatus, type ShotStatus } from '../../contracts/status';
import { chargeOf, type Store, type TakeHistory, taskIdOf } from '../../store';
import { creditsOf, filmTakeOf, shownTakes, stateOf, takesOf } from '../records/takes';
import { driftsOf } from './continuity';
import { hashesThere, leftInStore } from '../records/left-in-store';
import { NO_LIMIT, reviewLimits } from './review-limits';
import { resumeCommand } from '../wording/commands';
import { publishedFiles } from '../records/out-folders';

/** Absolute paths of a production's files. */
export interface Placement {
  film(film: AssetRef): string;
  take(shotId: string, take: number, asset: AssetRef): string;
  lastFrame(shotId: string, take: number, asset: AssetRef): string;
}

/** Places every file at its path in the store. */
export function inStore({ assets }: Store): Placement {
  const path = (asset: AssetRef): string => assets.shownPath(asset);
  return { film: path, take: (_shot, _take, asset) => path(asset), lastFrame: (_shot, _take, asset) => path(asset) };
}

/**
 * The manifest of a production. Its shots come from the status. Its takes come from the ledger and include those of
 * earlier renders. The credits also include takes of shots that the file no longer has.
 */
export async function manifestOf(
  store: Store,
  account: string,
  status: ProductionStatus,
  placement: Placement,
): Promise<Manifest> {
  const takes = await takesOf(store, account, status.production);
  const storedHashes = await hashesThere(store, [...takes.values()].flat());
  const drifts = await driftsOf(store, status);
  const limits = await reviewLimits(store, status);
  return {
    production: status.production,
    title: status.title,
    state: status.state,
    reason: status.reason,
    film: status.film === null ? null : filmEntry(status.film, placement),
    shots: status.shots.map((shot) => ({
      ...shotEntry(status.production, shot, shownTakes(status, takes.get(shot.id)), placement, storedHashes),
      review: reviewEntry(status.production, shot, limits.get(shot.id)),
      drift: drifts.get(shot.id) ?? null,
    })),
    paused: status.paused === undefined ? null : { ...status.paused, command: resumeCommand(status.production) },
    credits: creditsOf([...takes.values()].flat()),
    budget: status.budget === undefined ? null : { ...status.budget, rest: null },
    readyBy: status.readyBy === undefined ? null : { ...status.readyBy, fallback: [...status.readyBy.fallback] },
    expected: null,
    notices: [
      ...(await store.notices.list({
        kind: 'production',
        id: status.production,
        renderId: status.renderId,
      })),
    ],
    out: await publishedFiles(await store.outPlaces.noted(status.production), status.film),
  };
}

function filmEntry(film: AssetRef, placement: Placement): Manifest['film'] {
  const { sha256, sizeBytes, durationSeconds } = film;
  return { path: placement.film(film), sha256, sizeBytes, durationSeconds: durationSeconds ?? 0 };
}

function shotEntry(
  production: string,
  shot: ShotStatus,
  takes: readonly TakeHistory[],
  placement: Placement,
  storedHashes: ReadonlySet<string>,
): Omit<ManifestShot, 'drift' | 'review'> {
  const { id, state, reason } = shot;
  const parked =
    shot.parked === null
      ? null
      : { ...shot.parked, command: resolveCommand(production, id, shot.parked.for, shot.parked.takes) };
  const entries = takes.map((take) => takeEntry(id, take, placement, storedHashes));
  return {
    id,
    state,
    reason,
    parked,
    takes: entries,
    filmTake: filmTakeOf(shot),
  };
}

function reviewEntry(production: string, shot: ShotStatus, limit = NO_LIMIT): ManifestShot['review'] {
  if (shot.review === null) return null;
  const command = reviewCommand(production, shot);
  return { since: shot.review.since, takes: [...completedTakes(shot)], command, ...limit };
}

function takeEntry(
  shotId: string,
  history: TakeHistory,
  placement: Placement,
  storedHashes: ReadonlySet<string>,
): ManifestTake {
  const { take } = history;
  const { asset, lastFrame } = leftInStore(history, storedHashes);
  return {
    take,
    state: stateOf(history),
    taskId: taskIdOf(history),
    credits: chargeOf(history),
    aliasOf: aliasOf(history),
    asset: asset === null ? null : assetEntry(asset, placement.take(shotId, take, asset)),
    lastFrame:
      lastFrame === null
        ? null
        : {
            path: placement.lastFrame(shotId, take, lastFrame.asset),
            sha256: lastFrame.asset.sha256,
            source: lastFrame.source,
          },
    pruned: history.pruned?.at ?? null,
  };
}

function aliasOf({ intent: { alias } }: TakeHistory): ManifestTake['aliasOf'] {
  if (alias === undefined) return null;
  const { productionId: production, shotId: shot, take } = alias;
  return { production, shot, take };
}

function assetEntry({ sha256, sizeBytes, mediaType, durationSeconds }: AssetRef, path: string): ManifestTake['asset'] {
  return { path, sha256, sizeBytes, mediaType, durationSeconds };
}
