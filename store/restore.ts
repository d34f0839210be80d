import { type BackupEntry, BackupError, type BackupHeader, readBackup } from './backup';
import { createLedger, type Ledger, type TakeAddress } from './ledger';
import { readableTakes, type ShotTakes } from './broken-takes';
import { markPlace } from './place';
import { createFolderRecords, type Records, UnreadableRecord } from './records';
import { clearGaps, holdBroken, holdRestored, openGap, RESTORED, type RestoredGap } from './restored';
import { type TakeHistory } from './take-history';
import { canonicalJson } from './take-key';

/**
 * Records that are written once, and by which it is decided what may be sent: with another content they are those of
 * another store. Any other record is replaced in normal work, and is here in its newer state.
 */
const WRITTEN_ONCE = new RegExp(`^store$|^${RESTORED}/|^ledger/(?!.+/output$)`);

export interface Restored {
  readonly gap: RestoredGap;
  /** Records written. */
  readonly written: number;
  /** Records that were there with the same content. */
  readonly present: number;
  /** Keys of records that are there with another content, and stayed as they are. */
  readonly kept: readonly string[];
  /** Takes that may have been sent since the backup: made unclear. */
  readonly held: number;
}

export interface RestoreOptions {
  /** A person's word for it: then nothing is held. */
  readonly nothingSentSince: boolean;
}

/** What a person is told of: more would scroll the reason away. */
const DIFFERENCES_SHOWN = 20;

/**
 * Writes a backup's records into a store's folder, an empty one or an older one of the same store.
 *
 * The whole file is checked against itself and against the folder before anything is written, and no record is ever
 * changed. Takes that may have been sent since the backup become unclear.
 *
 * @throws BackupError where the file is not whole, or a record that is written once is there with another content.
 */
export async function restoreBackup(folder: string, file: string, options: RestoreOptions): Promise<Restored> {
  const records = createFolderRecords(folder);
  const ledger = createLedger(records);
  const { header, present, kept } = await compare(records, file);

  const restoredAt = new Date().toISOString();
  const gap = { name: restoredAt.replaceAll(':', '-'), backupAt: header.at, restoredAt };
  // First of all: from here on no worker sends anything until the restore is done.
  await records.create(`${RESTORED}/${gap.name}/begun`, gap);
  let written = 0;
  await readBackup(file, async (entry) => {
    // What a crash had cut short stays a sign that something was begun.
    if (await records.create(entry.key, 'value' in entry ? entry.value : null)) written += 1;
  });
  const held = options.nothingSentSince ? 0 : await holdAll(records, ledger, gap);
  if (options.nothingSentSince) await clearGaps(records, ledger, allTakes(records, ledger), restoredAt);
  // An older state of the store may have come here as a copy of its folder.
  await markPlace(records, folder);
  // Those of earlier restores too, which this one has completed.
  for (const name of await records.list(RESTORED)) await records.create(`${RESTORED}/${name}/done`, { at: restoredAt });
  return { gap, written, present, kept, held };
}

/**
 * Takes a person's word that nothing was sent between backup and restore.
 *
 * @returns how many takes may be sent now that were held; undefined where there is no open gap.
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

/** Undefined where there is none; null where a crash had cut it short. */
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

/** @returns how many takes became unclear. */
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
    // Nothing is sent for a shot with a take that cannot be read.
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
