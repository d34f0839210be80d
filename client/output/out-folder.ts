import { join } from 'node:path';
import { type AssetRef } from '../../contracts/asset';
import { type Manifest } from '../../contracts/manifest';
import { type ProductionStatus } from '../../contracts/status';
import { type Store } from '../../store';
import { contactSheet, sheetOf } from '../contact-sheet';
import { measureChains } from './measure-chains';
import { hashesThere } from '../records/left-in-store';
import { manifestOf, type Placement } from '../status/manifest';
import { shownTakes, takesOf } from '../records/takes';
import { filmName, frameName, MANIFEST_NAME, SHEET_NAME, takeName } from '../records/out-names';
import { openOutFiles } from '../records/out-files';
import { readFrozen } from '../records/read-frozen';
import { absolute } from '../wording/working-folder';

export interface PublishRequest {
  readonly store: Store;
  readonly account: string;
  readonly status: ProductionStatus;
  readonly folder: string;
  /** The ffmpeg that measures clips. Default: search for it. */
  readonly ffmpegPath?: string | undefined;
}

export interface Published {
  /** The manifest that was written, with absolute paths into the folder. */
  readonly manifest: Manifest;
  /** Absolute path of the contact sheet. */
  readonly sheetPath: string;
  /** New paths of the person's files that were in the way. */
  readonly movedAside: readonly string[];
}

/**
 * Fills a folder with the manifest, the contact sheet, and the film, takes and frames that the store has.
 *
 * Existing files are not copied again, so a repetition costs little. Nothing is removed. The store records the folder.
 */
export async function publish({ store, account, status, folder, ffmpegPath }: PublishRequest): Promise<Published> {
  const { assets } = store;
  const production = await readFrozen(assets, status.frozen);
  const root = absolute(folder);
  const film = filmName(production.output?.file);
  const allTakes = await takesOf(store, account, status.production);
  const takes = new Map([...allTakes].map(([shot, all]) => [shot, shownTakes(status, all)]));
  const storedHashes = await hashesThere(store, [...takes.values()].flat());
  await measureChains(store, status, ffmpegPath);
  const hasFilm = status.film !== null && (await assets.has(status.film));
  const filmPath = hasFilm ? join(root, film) : null;
  const sheetPath = join(root, SHEET_NAME);
  const manifest: Manifest = {
    ...(await manifestOf(store, account, status, placementIn(root, film))),
    out: { folder: root, film: filmPath, sheet: sheetPath },
  };

  const files = await openOutFiles(root, assets);
  const put = async (name: string, asset: AssetRef | null | undefined): Promise<void> => {
    // The output of an old take may have been pruned. If needed, the next render collects it again.
    if (asset != null && (await assets.has(asset))) await files.putAsset(name, asset);
  };
  if (status.film !== null) await put(film, status.film);
  for (const { id: shotId } of status.shots) {
    for (const { take, output } of takes.get(shotId) ?? []) {
      if (output === undefined) continue;
      const { asset, firstFrame, lastFrame } = output;
      await put(takeName(shotId, take, asset), asset);
      if (firstFrame !== null) await put(frameName(shotId, take, 'first', firstFrame), firstFrame);
      if (lastFrame !== null) await put(frameName(shotId, take, 'last', lastFrame.asset), lastFrame.asset);
    }
  }
  await files.putText(MANIFEST_NAME, `${JSON.stringify(manifest, null, 2)}\n`);
  await files.putText(SHEET_NAME, contactSheet(sheetOf({ production, status, takes, storedHashes, manifest })));
  const movedAside = await files.done();
  await store.outPlaces.notePublication(status.production, {
    folder: root,
    renderId: status.renderId,
    film: status.film === null || filmPath === null ? null : { path: filmPath, sha256: status.film.sha256 },
  });
  return { manifest, sheetPath, movedAside };
}

function placementIn(folder: string, film: string): Placement {
  return {
    film: () => join(folder, film),
    take: (shotId, take, asset) => join(folder, takeName(shotId, take, asset)),
    lastFrame: (shotId, take, asset) => join(folder, frameName(shotId, take, 'last', asset)),
  };
}
