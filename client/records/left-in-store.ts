import { type AssetRef } from '../../contracts/asset';
import { currentOutput, type Output, type StoreView, type TakeHistory } from '../../store';

/** The parts of a take's output that are in the store. */
export interface LeftInStore {
  readonly asset: AssetRef | null;
  readonly firstFrame: AssetRef | null;
  readonly lastFrame: Output['lastFrame'];
}

/** Hashes of the takes' output files that are in the store, neither pruned nor lost. */
export async function hashesThere(
  { assets }: Pick<StoreView, 'assets'>,
  takes: readonly TakeHistory[],
): Promise<ReadonlySet<string>> {
  const left = takes.flatMap(({ output }) => [output?.asset, output?.firstFrame, output?.lastFrame?.asset]);
  const hashes = await Promise.all(
    left.map(async (asset) => (asset != null && (await assets.has(asset)) ? [asset.sha256] : [])),
  );
  return new Set(hashes.flat());
}

export function leftInStore(history: TakeHistory, there: ReadonlySet<string>): LeftInStore {
  const { asset = null, firstFrame = null, lastFrame = null } = currentOutput(history) ?? {};
  const isThere = (one: AssetRef | null): boolean => one !== null && there.has(one.sha256);
  return {
    asset: isThere(asset) ? asset : null,
    firstFrame: isThere(firstFrame) ? firstFrame : null,
    lastFrame: isThere(lastFrame?.asset ?? null) ? lastFrame : null,
  };
}
