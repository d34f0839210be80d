import { type AssetRef } from '../../contracts/asset';
import { type FileSource, type FrozenProduction, musicAssets } from '../../contracts/render/frozen';

/**
 * The files that a production has in the store, with their original names; music files are named `music`. A file is
 * listed once for each use.
 */
export function filesOf({
  shots,
  assembly,
}: FrozenProduction): readonly { readonly name: string; readonly sha256: string; readonly sizeBytes: number }[] {
  const sources = shots.flatMap(({ files }) => Object.values(files).flatMap((one): FileSource[] => [one].flat()));
  return [
    ...sources.flatMap((source) => (source.kind === 'asset' ? [named(source.name, source.asset)] : [])),
    ...(assembly === undefined ? [] : musicAssets(assembly).map((asset) => named('music', asset))),
  ];
}

function named(
  name: string,
  { sha256, sizeBytes }: AssetRef,
): { readonly name: string; readonly sha256: string; readonly sizeBytes: number } {
  return { name, sha256, sizeBytes };
}
