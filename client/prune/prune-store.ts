import { type Prune, RestoreUnfinished, type Store, type WrittenTake } from '../../store';
import { Refused } from '../wording/refused';
import { findUnused, type Unused } from './find-unused';

export interface Freed {
  readonly takes: number;
  readonly films: number;
  readonly sizeBytes: number;
  /** False if the time limit ended the prune early. Another prune removes what remains. */
  readonly isWhole: boolean;
}

/**
 * Removes the takes and films that a person was shown and that are still unused. The ledger keeps the takes' records,
 * and records the removal.
 *
 * @throws Refused if another prune is running, or a restore of the ledger is unfinished.
 */
export async function pruneStore(store: Store, account: string, shown: Unused): Promise<Freed> {
  await checkRestored(store);
  const prune = await store.prunes.begin();
  if (prune === undefined) throw new Refused('another prune of this store is under way; try again when it has ended');
  try {
    // Find the unused takes after `begin`, because renders wait only for a prune that has begun.
    return await free(store, prune, await findUnused(store, account), hashesIn(shown));
  } finally {
    await prune.end();
  }
}

async function free(store: Store, prune: Prune, unused: Unused, shown: ReadonlySet<string>): Promise<Freed> {
  const gone = new Set<string>();
  let [takes, films, sizeBytes] = [0, 0, 0];
  const remove = async (assets: Unused['films']): Promise<boolean> => {
    for (const asset of assets) {
      if (!(await store.assets.remove(asset, prune.at))) continue;
      gone.add(asset.sha256);
      sizeBytes += asset.sizeBytes;
    }
    return assets.some(({ sha256 }) => gone.has(sha256));
  };

  const takesWith = takesByHash(unused);
  const recorded = new Set<WrittenTake>();
  for (const { takes: unusedTakes } of unused.productions) {
    for (const { assets } of unusedTakes) {
      if (!prune.hasTimeLeft()) return { takes, films, sizeBytes, isWhole: false };
      if (!assets.every(({ sha256 }) => shown.has(sha256))) continue;
      // Record before removing. So the ledger explains every missing file, and after a crash the next prune removes the
      // remaining files.
      for (const address of assets.flatMap(({ sha256 }) => takesWith.get(sha256) ?? [])) {
        if (recorded.has(address)) continue;
        recorded.add(address);
        await store.ledger.notePruned(address);
      }
      if (await remove(assets)) takes += 1;
    }
  }
  for (const film of unused.films) {
    if (!prune.hasTimeLeft()) return { takes, films, sizeBytes, isWhole: false };
    if (shown.has(film.sha256) && (await remove([film]))) films += 1;
  }
  return { takes, films, sizeBytes, isWhole: true };
}

/** The takes with each hash. Takes share a hash if one is an alias of another, or if their bytes are equal. */
function takesByHash({ productions }: Unused): ReadonlyMap<string, readonly WrittenTake[]> {
  const byHash = new Map<string, WrittenTake[]>();
  for (const { production, takes } of productions) {
    for (const { shot, take, takeKey, assets } of takes) {
      const address = { productionId: production, shotId: shot, take, takeKey };
      for (const { sha256 } of assets) byHash.set(sha256, [...(byHash.get(sha256) ?? []), address]);
    }
  }
  return byHash;
}

function hashesIn({ productions, films }: Unused): ReadonlySet<string> {
  const takes = productions.flatMap((one) => one.takes.flatMap(({ assets }) => assets));
  return new Set([...takes, ...films].map(({ sha256 }) => sha256));
}

async function checkRestored({ restores }: Store): Promise<void> {
  try {
    await restores.openGap();
  } catch (error) {
    throw error instanceof RestoreUnfinished ? new Refused(error.message) : error;
  }
}
