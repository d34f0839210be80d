import { stat } from 'node:fs/promises';
import { type AssetRef } from '../../contracts/asset';
import { hashFile, standing, type Store } from '../../store';
import { renderCommand } from '../wording/commands';
import { placeOf } from './check-ledger';
import { type Difference, difference, type DifferenceKind, type Place } from './difference';
import { shellWord } from '../wording/commands';
import { type BookedTake } from '../records/booked-takes';

/** An asset that should be in the store, and how to restore it. */
export interface ExpectedAsset {
  readonly place: Place;
  /** Its name in messages, such as "clip". */
  readonly name: string;
  readonly asset: AssetRef;
  /** The command that restores it if the store has no copy; null if none does. */
  readonly mend: string | null;
}

/** All assets that a take stored, by the ledger. */
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

/** Checks that each asset exists and that its bytes match its hash. Each file is read once. */
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
    // A file of the right length is not replaced, so the altered file must be removed first.
    const command = kind === 'asset-altered' && mend !== null ? `rm ${shellWord(path)} && ${mend}` : mend;
    found.push(difference(kind, place, `${name} ${path}`, command));
  }
  return found;
}

/** Part files of takes whose output is already stored. */
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
