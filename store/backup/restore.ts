import { type BackupEntry, BackupError, type BackupHeader, readBackup } from './backup';
import { createLedger, type Ledger } from '../ledger/ledger';
import { readableTakes, type ShotTakes } from '../ledger/broken-takes';
import { markPlace } from './place';
import { createFolderRecords, type Records, UnreadableRecord } from '../records';
import {
  clearGaps,
  createRestores,
  holdBroken,
  holdRestored,
  begunRestores,
  RESTORED,
  type RestoredGap,
  type Restores,
  unfinishedGaps,
} from './restored';
import { type TakeAddress } from '../ledger/take-address';
import { type TakeHistory } from '../ledger/take-history';
import { canonicalJson } from '../ledger/take-key';

/**
 * Keys of write-once records that decide what may be sent. If such a record differs between backup and folder, the
 * backup is of another store, or one of the two is damaged. Other records may change in normal work, and the folder has
 * the newer state.
 */
const WRITTEN_ONCE = new RegExp(`^store$|^${RESTORED}/|^ledger/(?!.+/output$)`);

export interface Restored {
  readonly gap: RestoredGap;
  /** Number of records that were written. */
  readonly written: number;
  /** Number of records that the folder already had with the same content. */
  readonly present: number;
  /** Keys of records that the folder already had with another content. The folder's content was kept. */
  readonly kept: readonly string[];
  /** Number of takes that became unclear, since they may have been sent after the backup. */
  readonly held: number;
  /** The gap that is open now; null if there is none. Several open gaps are joined into one. */
  readonly openGap: RestoredGap | null;
}

export interface RestoreOptions {
  /**
   * A person's statement that nothing was sent since the backup. If true, no takes become unclear because of this
   * restore. The statement also covers earlier restores, but not those from older backups.
   */
  readonly nothingSentSince: boolean;
}

/** Maximum number of keys in the message. With more keys, the reason would scroll out of sight. */
const DIFFERENCES_SHOWN = 20;

/**
 * Writes the missing records of a backup into a folder that is empty or belongs to the same store.
 *
 * Before it writes anything, it checks the whole file and compares the file with the folder. Existing records stay
 * unchanged. Takes that may have been sent since the backup become unclear.
 *
 * @throws BackupError if the file is truncated, altered or of another kind, or if a write-once record differs from the
 *   folder's.
 */
export async function restoreBackup(folder: string, file: string, options: RestoreOptions): Promise<Restored> {
  const records = createFolderRecords(folder);
  const ledger = createLedger(records);
  const { header, present, kept } = await compare(records, file);

  const restoredAt = new Date().toISOString();
  const gap = { name: restoredAt.replaceAll(':', '-'), backupAt: header.at, restoredAt };
  // Write `begun` first: no worker sends anything until the restore's `done` record exists.
  await records.create(`${RESTORED}/${gap.name}/begun`, gap);
  let written = 0;
  await readBackup(file, async (entry) => {
    // An unreadable record is restored as null, since its existence shows that something was begun.
    if (await records.create(entry.key, 'value' in entry ? entry.value : null)) written += 1;
  });
  let held = 0;
  if (!options.nothingSentSince) held = await holdAll(records, ledger, gap);
  else {
    // The statement does not cover an interrupted restore of an older backup, which may have left takes sendable.
    for (const earlier of await unfinishedGaps(records)) {
      if (Date.parse(earlier.backupAt) < Date.parse(header.at)) held += await holdAll(records, ledger, earlier);
    }
    await clearGaps({ ledger, restores: createRestores(records) }, allTakes(ledger), {
      at: restoredAt,
      since: header.at,
    });
  }
  // Record where the store is now (`markPlace`), since the folder may be a copy of the store.
  await markPlace(records, folder);
  // This restore also completes earlier ones that were interrupted.
  for (const { name } of await begunRestores(records)) {
    await records.create(`${RESTORED}/${name}/done`, { at: restoredAt });
  }
  const openGap = (await createRestores(records).openGap()) ?? null;
  return { gap, written, present, kept, held, openGap };
}

/**
 * Records a person's statement that nothing was sent between backup and restore.
 *
 * Also finishes an earlier call that crashed after recording the statement, before it released all takes. If no gap is
 * open, releases only takes that a restore holds. Never releases takes that were held when a copy was adopted.
 *
 * @returns the number of takes that may be sent again; undefined if there is no open gap and no take to release.
 * @throws RestoreUnfinished
 */
export async function clearRestored(store: {
  readonly ledger: Ledger;
  readonly restores: Restores;
}): Promise<number | undefined> {
  const isOpen = (await store.restores.openGap()) !== undefined;
  const released = await clearGaps(store, allTakes(store.ledger), {
    at: new Date().toISOString(),
    ofRestoresOnly: !isOpen,
  });
  return isOpen || released > 0 ? released : undefined;
}

async function compare(
  records: Records,
  file: string,
): Promise<{ header: BackupHeader; present: number; kept: readonly string[] }> {
  let present = 0;
  const kept: string[] = [];
  const refused: string[] = [];
  const header = await readBackup(file, async (entry) => {
    const own = await readOwn(records, entry.key);
    if (own === undefined) return;
    if (sameContent(own, entry)) present += 1;
    else (WRITTEN_ONCE.test(entry.key) ? refused : kept).push(entry.key);
  });
  if (refused.length > 0) {
    const shown = refused.slice(0, DIFFERENCES_SHOWN);
    const more = refused.length > shown.length ? `\n  and ${refused.length - shown.length} more` : '';
    throw new BackupError(
      `${refused.length} records differ between this folder and ${file}; nothing was restored. ` +
        `Choose an empty folder by DAILIES_STORE.\n  ${shown.join('\n  ')}${more}`,
    );
  }
  return { header, present, kept };
}

/** The folder's record; undefined if there is none, null if it is unreadable. */
async function readOwn(records: Records, key: string): Promise<unknown> {
  try {
    return await records.read(key);
  } catch (error) {
    if (error instanceof UnreadableRecord) return null;
    throw error;
  }
}

function sameContent(own: unknown, entry: BackupEntry): boolean {
  return canonicalJson(own) === canonicalJson('value' in entry ? entry.value : null);
}

/** Makes all takes unclear that may have been sent within the gap. @returns their number. */
export async function holdAll(records: Records, ledger: Ledger, gap: RestoredGap): Promise<number> {
  let held = 0;
  for await (const { productionId, shotId, takes, broken } of allShots(ledger)) {
    for (const history of takes) {
      if (await holdRestored(ledger, { productionId, shotId, take: history.take }, history, gap)) held += 1;
    }
    for (const take of broken) {
      if (await holdBroken(records, take, gap)) held += 1;
    }
  }
  return held;
}

async function* allTakes(ledger: Ledger): AsyncGenerator<readonly [TakeAddress, TakeHistory]> {
  for await (const { productionId, shotId, takes } of allShots(ledger)) {
    // Leave out unreadable takes: nothing is sent for their shots anyway.
    for (const history of takes) yield [{ productionId, shotId, take: history.take }, history];
  }
}

async function* allShots(
  ledger: Ledger,
): AsyncGenerator<ShotTakes & { readonly productionId: string; readonly shotId: string }> {
  for (const productionId of await ledger.productions()) {
    for (const shotId of await ledger.shots(productionId)) {
      yield { productionId, shotId, ...(await readableTakes(ledger, { productionId, shotId })) };
    }
  }
}
