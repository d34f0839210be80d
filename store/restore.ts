import { type BackupEntry, BackupError, type BackupHeader, readBackup } from './backup';
import { createLedger, type Ledger, type TakeAddress } from './ledger';
import { readableTakes, type ShotTakes } from './broken-takes';
import { markPlace } from './place';
import { createFolderRecords, type Records, UnreadableRecord } from './records';
import { clearGaps, holdBroken, holdRestored, openGap, RESTORED, type RestoredGap } from './restored';
import { type TakeHistory } from './take-history';
import { canonicalJson } from './take-key';

/**
 * Records that are written once and decide what may be sent. If the content differs, they belong to another store. Any
 * other record is replaced in normal work, and the folder has its newer state.
 */
const WRITTEN_ONCE = new RegExp(`^store$|^${RESTORED}/|^ledger/(?!.+/output$)`);

export interface Restored {
  readonly gap: RestoredGap;
  readonly written: number;
  /** Records that were there with the same content. */
  readonly present: number;
  /** Keys of records that were there with another content. They stayed as they were. */
  readonly kept: readonly string[];
  /** Takes that may have been sent since the backup, which are now unclear. */
  readonly held: number;
}

export interface RestoreOptions {
  /** A person's statement that nothing was sent since the backup. Nothing is held then. */
  readonly nothingSentSince: boolean;
}

/** Number of keys in a message. More would scroll the reason away. */
const DIFFERENCES_SHOWN = 20;

/**
 * Writes a backup's records into a store's folder: an empty folder, or an older state of the same store.
 *
 * The whole file is checked in itself and against the folder before anything is written. No record is ever changed.
 * Takes that may have been sent since the backup become unclear.
 *
 * @throws BackupError if the file is incomplete, or if a write-once record is there with another content.
 */
export async function restoreBackup(folder: string, file: string, options: RestoreOptions): Promise<Restored> {
  const records = createFolderRecords(folder);
  const ledger = createLedger(records);
  const { header, present, kept } = await compare(records, file);

  const restoredAt = new Date().toISOString();
  const gap = { name: restoredAt.replaceAll(':', '-'), backupAt: header.at, restoredAt };
  // Write this first: from now on no worker sends anything until the restore is done.
  await records.create(`${RESTORED}/${gap.name}/begun`, gap);
  let written = 0;
  await readBackup(file, async (entry) => {
    // A record that a crash cut short stays as a sign that something was begun.
    if (await records.create(entry.key, 'value' in entry ? entry.value : null)) written += 1;
  });
  const held = options.nothingSentSince ? 0 : await holdAll(records, ledger, gap);
  if (options.nothingSentSince) await clearGaps(records, ledger, allTakes(records, ledger), restoredAt);
  // The folder may be a copy of an older state of the store.
  await markPlace(records, folder);
  // Includes earlier interrupted restores, which this one has completed.
  for (const name of await records.list(RESTORED)) await records.create(`${RESTORED}/${name}/done`, { at: restoredAt });
  return { gap, written, present, kept, held };
}

/**
 * Records a person's statement that nothing was sent between backup and restore.
 *
 * @returns the number of held takes that may be sent now; undefined if there is no open gap.
 * @throws RestoreUnfinished
 */
export async function clearRestored(records: Records, ledger: Ledger): Promise<number | undefined> {
  if ((await openGap(records)) === undefined) return undefined;
  return clearGaps(records, ledger, allTakes(records, ledger), new Date().toISOString());
}

async function compare(
  records: Records,
  file: string,
): Promise<{ header: BackupHeader; present: number; kept: readonly string[] }> {
  let present = 0;
  const kept: string[] = [];
  const refused: string[] = [];
  const header = await readBackup(file, async (entry) => {
    const here = await readHere(records, entry.key);
    if (here === undefined) return;
    if (sameContent(here, entry)) present += 1;
    else (WRITTEN_ONCE.test(entry.key) ? refused : kept).push(entry.key);
  });
  if (refused.length > 0) {
    const shown = refused.slice(0, DIFFERENCES_SHOWN);
    const more = refused.length > shown.length ? `\n  and ${refused.length - shown.length} more` : '';
    throw new BackupError(
      `${refused.length} records are here with another content than in ${file}; nothing was restored. ` +
        `Choose an empty folder by DAILIES_STORE.\n  ${shown.join('\n  ')}${more}`,
    );
  }
  return { header, present, kept };
}

/** Undefined if there is no record; null if a crash cut it short. */
async function readHere(records: Records, key: string): Promise<unknown> {
  try {
    return await records.read(key);
  } catch (error) {
    if (error instanceof UnreadableRecord) return null;
    throw error;
  }
}

function sameContent(here: unknown, entry: BackupEntry): boolean {
  return canonicalJson(here) === canonicalJson('value' in entry ? entry.value : null);
}

/** @returns the number of takes that became unclear. */
export async function holdAll(records: Records, ledger: Ledger, gap: RestoredGap): Promise<number> {
  let held = 0;
  for await (const { productionId, shotId, takes, broken } of allShots(records, ledger)) {
    for (const history of takes) {
      if (await holdRestored(ledger, { productionId, shotId, take: history.take }, history, gap)) held += 1;
    }
    for (const take of broken) {
      if (await holdBroken(records, take, gap)) held += 1;
    }
  }
  return held;
}

async function* allTakes(records: Records, ledger: Ledger): AsyncGenerator<readonly [TakeAddress, TakeHistory]> {
  for await (const { productionId, shotId, takes } of allShots(records, ledger)) {
    // Nothing is sent for a shot that has an unreadable take.
    for (const history of takes) yield [{ productionId, shotId, take: history.take }, history];
  }
}

async function* allShots(
  records: Records,
  ledger: Ledger,
): AsyncGenerator<ShotTakes & { readonly productionId: string; readonly shotId: string }> {
  for (const productionId of await records.list('ledger')) {
    for (const shotId of await ledger.shots(productionId)) {
      yield { productionId, shotId, ...(await readableTakes({ ledger, records }, { productionId, shotId })) };
    }
  }
}
