import { beginPrune, openGap, type Prune, type Store, type WrittenTake } from '../../store';
import { RestoreUnfinished } from '../../store/restored';
import { Refused } from '../wording/refused';
import { findUnused, type Unused } from './find-unused';

export interface Freed {
  readonly takes: number;
  readonly films: number;
  readonly sizeBytes: number;
  /** False if its time limit passed first; another prune continues. */
  readonly isWhole: boolean;
}

/**
 * Removes what a person was shown, as far as it is still unused. Ledger records stay, and say what was removed.
 *
 * @throws Refused if another prune is running, or a restore of the ledger is unfinished.
 */
export async function pruneStore(store: Store, account: string, shown: Unused): Promise<Freed> {
  await checkRestored(store);
  const prune = await beginPrune(store.records);
  if (prune === undefined) throw new Refused('another prune of this store is under way; look again when it has ended');
  try {
    // Read the store again only now: renders that begin later wait for this prune.
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

  const leavers = takesByHash(unused);
  const noted = new Set<WrittenTake>();
  for (const { takes: unusedTakes } of unused.productions) {
    for (const { assets } of unusedTakes) {
      if (!prune.mayGoOn()) return { takes, films, sizeBytes, isWhole: false };
      if (!assets.every(({ sha256 }) => shown.has(sha256))) continue;
      // Record before removing: after a crash the next prune finds the leftover bytes, and no loss is unexplained.
      for (const address of assets.flatMap(({ sha256 }) => leavers.get(sha256) ?? [])) {
        if (noted.has(address)) continue;
        noted.add(address);
        await store.ledger.notePruned(address);
      }
      if (await remove(assets)) takes += 1;
    }
  }
  for (const film of unused.films) {
    if (!prune.mayGoOn()) return { takes, films, sizeBytes, isWhole: false };
    if (shown.has(film.sha256) && (await remove([film]))) films += 1;
  }
  return { takes, films, sizeBytes, isWhole: true };
}

/** The takes of each hash: an alias, the take that it names, and takes with equal bytes. */
function takesByHash({ productions }: Unused): ReadonlyMap<string, readonly WrittenTake[]> {
  const found = new Map<string, WrittenTake[]>();
  for (const { production, takes } of productions) {
    for (const { shot, take, takeKey, assets } of takes) {
      const address = { productionId: production, shotId: shot, take, takeKey };
      for (const { sha256 } of assets) found.set(sha256, [...(found.get(sha256) ?? []), address]);
    }
  }
  return found;
}

function hashesIn({ productions, films }: Unused): ReadonlySet<string> {
  const takes = productions.flatMap((one) => one.takes.flatMap(({ assets }) => assets));
  return new Set([...takes, ...films].map(({ sha256 }) => sha256));
}

async function checkRestored({ records }: Store): Promise<void> {
  try {
    await openGap(records);
  } catch (error) {
    throw error instanceof RestoreUnfinished ? new Refused(error.message) : error;
  }
}
