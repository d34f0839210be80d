import { type AssetRef } from '../../contracts/asset';
import { type Assets, beginHash, ledgerState, type Store } from '../../store';
import { renderCommand } from '../wording/commands';
import { placeOf } from './check-ledger';
import { type Difference, difference, type DifferenceKind, type Place } from './difference';
import { shellWord } from '../../contracts/terminal-text';
import { type BookedTake } from '../records/booked-takes';

/** An asset that should be in the store, and how to restore it. */
export interface ExpectedAsset {
  readonly place: Place;
  /** Its name in messages, such as "clip". */
  readonly name: string;
  readonly asset: AssetRef;
  /** The command that restores a missing or damaged asset; null if there is none. */
  readonly restoreCommand: string | null;
}

/** All assets that a take has stored, according to the ledger; none if its output was pruned. */
export function assetsOfTake(booked: BookedTake, render: string): readonly ExpectedAsset[] {
  const { output, pruned, intent } = booked.history;
  if (output === undefined || pruned !== undefined) return [];
  const isOwnClip = ledgerState(booked.history).is === 'used' && intent.alias === undefined;
  const restoreCommand = intent.alias === undefined ? render : renderCommand(intent.alias.productionId, undefined);
  const expected = (name: string, asset: AssetRef | undefined | null): readonly ExpectedAsset[] =>
    asset == null ? [] : [{ place: placeOf(booked), name, asset, restoreCommand: isOwnClip ? null : restoreCommand }];
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
  const faults = new Map<string, Fault | undefined>();
  const differences: Difference[] = [];
  for (const { place, name, asset, restoreCommand } of expected) {
    const path = assets.shownPath(asset);
    if (!faults.has(asset.sha256)) faults.set(asset.sha256, await faultOf(assets, asset));
    const fault = faults.get(asset.sha256);
    if (fault === undefined) continue;
    const { kind, reason = '' } = fault;
    differences.push(difference(kind, place, `${name} ${path}${reason}`, repairCommand(kind, path, restoreCommand)));
  }
  return differences;
}

function repairCommand(kind: DifferenceKind, path: string, restoreCommand: string | null): string | null {
  if (kind === 'asset-unreadable') return null;
  if (kind !== 'asset-altered' || restoreCommand === null) return restoreCommand;
  // A render does not replace a file of the right length, so the altered file must be removed first.
  const remove = `rm ${shellWord(path)}`;
  return restoreCommand.startsWith('dailies ')
    ? `${remove} && ${restoreCommand}`
    : `${remove}, then: ${restoreCommand}`;
}

/** Finds partial downloads of takes whose output is already stored. */
export async function checkParts({ assets }: Store, takes: readonly BookedTake[]): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const booked of takes) {
    const { intent, output } = booked.history;
    if (output === undefined) continue;
    const labels = [intent.takeKey, `${intent.takeKey}-last-frame`];
    for (const { path, sizeBytes } of (await Promise.all(labels.map((label) => assets.leftParts(label)))).flat()) {
      differences.push(
        difference('part-left', placeOf(booked), `${path}, ${sizeBytes} bytes`, `rm ${shellWord(path)}`),
      );
    }
  }
  return differences;
}

interface Fault {
  readonly kind: DifferenceKind;
  /** Follows the asset's path in a message. */
  readonly reason?: string;
}

async function faultOf(assets: Assets, asset: AssetRef): Promise<Fault | undefined> {
  try {
    const sizeBytes = await assets.sizeOf(asset);
    if (sizeBytes === null) return { kind: 'asset-missing' };
    if (sizeBytes !== asset.sizeBytes) return { kind: 'asset-truncated' };
    const hash = beginHash();
    for await (const chunk of assets.open(asset)) hash.add(chunk as Buffer);
    return hash.end().sha256 === asset.sha256 ? undefined : { kind: 'asset-altered' };
  } catch (error) {
    return { kind: 'asset-unreadable', reason: `: ${error instanceof Error ? error.message : String(error)}` };
  }
}
