import { type AssetRef } from '../../contracts/asset';
import { type Output, type Store, type TakeHistory } from '../../store';
import { batchAssets } from '../batch/batch-assets';
import { type BookedTake } from '../records/booked-takes';
import { scheduledAssets } from '../schedules/scheduled-assets';
import { keepingOf } from './kept-takes';

/**
 * A take that no shot uses, and its assets that nothing else needs. An alias (a take that reuses another take's output)
 * has the other take's assets.
 */
export interface UnusedTake {
  readonly shot: string;
  readonly take: number;
  readonly takeKey: string;
  readonly assets: readonly AssetRef[];
  /** Excludes assets that an earlier take or production in the result has counted. */
  readonly sizeBytes: number;
}

export interface UnusedOfProduction {
  readonly production: string;
  readonly takes: readonly UnusedTake[];
  readonly sizeBytes: number;
}

/** The takes and films in a store that nothing needs. */
export interface Unused {
  readonly productions: readonly UnusedOfProduction[];
  /**
   * Films that nothing needs. A production needs its last film, and the film that its completed shots make. A batch
   * needs the films of its rows. Assembling a film again is free.
   */
  readonly films: readonly AssetRef[];
  readonly sizeBytes: number;
}

/** Finds assets that no production, batch or schedule needs. Only takes of this account can be unused. */
export async function findUnused(store: Store, account: string): Promise<Unused> {
  const ids = await idsOf(store);
  const beingForked = await sourcesOfUnfinishedForks(store, ids);
  const keeping = new Map(
    await Promise.all(ids.map(async (id) => [id, await keepingOf(store, account, id, beingForked)] as const)),
  );
  const all = [...keeping.values()];
  const needed = new Set([
    ...(await scheduledAssets(store)),
    ...(await batchAssets(store)),
    ...all.flatMap(({ assets }) => assets.map(({ sha256 }) => sha256)),
    ...all.flatMap(({ kept }) => kept.flatMap(({ history }) => hashesOf(history))),
  ]);
  const isFree = async (asset: AssetRef): Promise<boolean> =>
    !needed.has(asset.sha256) && (await store.assets.has(asset));
  const free = async (assets: readonly AssetRef[]): Promise<readonly AssetRef[]> => {
    const found = await Promise.all(assets.map(async (asset) => ((await isFree(asset)) ? [asset] : [])));
    return distinct(found.flat());
  };
  const counted = new Set<string>();
  const count = (assets: readonly AssetRef[]): number => {
    const fresh = assets.filter(({ sha256 }) => !counted.has(sha256));
    for (const { sha256 } of fresh) counted.add(sha256);
    return sum(fresh);
  };

  const productions: UnusedOfProduction[] = [];
  for (const [production, { unused }] of keeping) {
    const takes: UnusedTake[] = [];
    for (const { shot, history } of unused.toSorted(byShot)) {
      const assets = await free(history.output === undefined ? [] : assetsOf(history.output));
      if (assets.length > 0) {
        const { take, intent } = history;
        takes.push({ shot, take, takeKey: intent.takeKey, assets, sizeBytes: count(assets) });
      }
    }
    if (takes.length > 0) productions.push({ production, takes, sizeBytes: sum(takes) });
  }
  const made = await free(await store.films.allExcept(new Set(all.flatMap(({ film }) => film ?? []))));
  const films = made.filter(({ sha256 }) => !counted.has(sha256));
  return { productions, films, sizeBytes: sum(productions) + sum(films) };
}

function distinct(assets: readonly AssetRef[]): readonly AssetRef[] {
  return [...new Map(assets.map((asset) => [asset.sha256, asset])).values()];
}

async function idsOf({ productions, ledger }: Store): Promise<readonly string[]> {
  const names = [...(await productions.ids()), ...(await ledger.productions())];
  return [...new Set(names)].toSorted();
}

/** The productions that unfinished forks copy. A fork may still reuse any take of its source. */
async function sourcesOfUnfinishedForks(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { productions } = store;
  const forks = await Promise.all(ids.map((id) => productions.fork(id)));
  return new Set(forks.flatMap((fork) => (fork?.done === false ? [fork.of] : [])));
}

/** Hashes of a kept take's output, of a person's own files for the take, and of the files that were sent with it. */
function hashesOf({ output, decisions, intent }: TakeHistory): readonly string[] {
  const sent = [...JSON.stringify(intent.parameters).matchAll(/sha256:([0-9a-f]{64})/g)].map(([, hash]) => hash ?? '');
  const given = decisions.flatMap(({ asset }) => asset?.sha256 ?? []);
  return [...sent, ...given, ...(output === undefined ? [] : assetsOf(output).map(({ sha256 }) => sha256))];
}

function assetsOf({ asset, firstFrame, lastFrame }: Output): readonly AssetRef[] {
  return [asset, firstFrame, lastFrame?.asset].filter((one) => one != null);
}

function byShot(a: BookedTake, b: BookedTake): number {
  return a.shot.localeCompare(b.shot) || a.history.take - b.history.take;
}

function sum(list: readonly { readonly sizeBytes: number }[]): number {
  return list.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
}
