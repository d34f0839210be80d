import { stat } from 'node:fs/promises';
import { type AssetRef } from '../../contracts/asset';
import { hashFile, standing, type Store } from '../../store';
import { renderCommand } from '../waiting';
import { placeOf } from './check-ledger';
import { type Difference, difference, type DifferenceKind, type Place, shellWord } from './difference';
import { type BookedTake } from './takes';

/** An asset that should be there, and how it comes back where it is not. */
export interface ExpectedAsset {
  readonly place: Place;
  /** What it is to a person, as "clip". */
  readonly name: string;
  readonly asset: AssetRef;
  /** Brings it back once the store has no whole copy; null if nothing does. */
  readonly mend: string | null;
}

/** All that the ledger says a take left in the store. */
export function assetsOfTake(booked: BookedTake, render: string): readonly ExpectedAsset[] {
  const { output, pruned, intent } = booked.history;
  if (output === undefined || pruned !== undefined) return [];
  const isOwnClip = standing(booked.history).is === 'used' && intent.alias === undefined;
  const mend = intent.alias === undefined ? render : renderCommand(intent.alias.productionId, undefined);
  const expected = (name: string, asset: AssetRef | undefined | null): readonly ExpectedAsset[] =>
    asset == null ? [] : [{ place: placeOf(booked), name, asset, mend: isOwnClip ? null : mend }];
  return [
    ...expected('clip', output.asset),
    ...expected('first frame', output.firstFrame),
    ...expected('last frame', output.lastFrame?.asset),
  ];
}

/** Looks for each asset, and reads every byte of it. Each file is read once, whoever expects it. */
export async function checkAssets(
  { assets }: Store,
  expected: readonly ExpectedAsset[],
): Promise<readonly Difference[]> {
  const troubles = new Map<string, DifferenceKind | undefined>();
  const found: Difference[] = [];
  for (const { place, name, asset, mend } of expected) {
    const path = assets.localPath(asset);
    if (!troubles.has(asset.sha256)) troubles.set(asset.sha256, await troubleWith(path, asset));
    const kind = troubles.get(asset.sha256);
    if (kind === undefined) continue;
    // Bytes of the right length are taken for whole until they are gone.
    const command = kind === 'asset-altered' && mend !== null ? `rm ${shellWord(path)} && ${mend}` : mend;
    found.push(difference(kind, place, `${name} ${path}`, command));
  }
  return found;
}

/** Part files of takes whose output has long arrived. */
export async function checkParts({ assets }: Store, takes: readonly BookedTake[]): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  for (const booked of takes) {
    const { intent, output } = booked.history;
    if (output === undefined) continue;
    const labels = [intent.takeKey, `${intent.takeKey}-last-frame`];
    for (const { path, sizeBytes } of (await Promise.all(labels.map((label) => assets.leftParts(label)))).flat()) {
      found.push(difference('part-left', placeOf(booked), `${path}, ${sizeBytes} bytes`, `rm ${shellWord(path)}`));
    }
  }
  return found;
}

async function troubleWith(path: string, { sha256, sizeBytes }: AssetRef): Promise<DifferenceKind | undefined> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => undefined,
  );
  if (size === undefined) return 'asset-missing';
  if (size !== sizeBytes) return 'asset-truncated';
  return (await hashFile(path)) === sha256 ? undefined : 'asset-altered';
}
