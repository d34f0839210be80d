import { counted } from '../../contracts/counted';
import { Refused } from '../../client/wording/refused';
import { ledgerBooks, type LedgerBooks, type OpenUnclear } from '../../client/books/ledger-books';
import { type Tally } from '../../client/books/tally';
import { didYouMean } from '../../client/wording/phrases';
import { absolute } from '../../client/wording/working-folder';
import { errorCode, RestoreUnfinished } from '../../store';
import { BackupError, writeBackup } from '../../store/backup/backup';
import { clearRestored, restoreBackup } from '../../store/backup/restore';
import { type Config } from '../../workers/config/config';
import { readHolder } from '../../workers/embedded/lock';
import { setFiles } from '../../workers/embedded/set-files';
import { openOwnStore } from '../../workers/store/own-store';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode } from '../process/exit-codes';
import { print, printJson, tell } from '../process/streams';

export interface LedgerOptions {
  readonly backup?: string;
  readonly restore?: string;
  readonly nothingSentSinceBackup?: boolean;
  readonly json?: boolean;
}

/**
 * Prints the ledger, writes a backup, restores a backup, or releases the takes that a restore has held back. Works
 * without Temporal.
 */
export async function ledger(production: string | undefined, options: LedgerOptions): Promise<ExitCode> {
  const config = readConfig();
  if (production !== undefined && options.nothingSentSinceBackup === true)
    throw new Refused(
      `--nothing-sent-since-backup releases takes of all productions, not of "${production}" alone; leave out the id`,
    );
  const action = (['restore', 'backup'] as const).find((name) => options[name] !== undefined);
  if (production !== undefined && action !== undefined)
    throw new Refused(`--${action} is about the whole ledger, not about "${production}" alone; leave out the id`);
  if (action === 'backup' && options.nothingSentSinceBackup === true)
    throw new Refused('--nothing-sent-since-backup does not go with --backup; it is about a restore');
  if (options.restore !== undefined) return restore(config, options.restore, options);
  if (options.backup !== undefined) return backup(config, options.backup, options);
  if (options.nothingSentSinceBackup === true) return clear(config, options);

  const store = await openOwnStore(config);
  const books = await ledgerBooks(store, config.account, production);
  if (production !== undefined && books.productions.length === 0 && books.broken.length === 0) {
    const near = didYouMean(production, [...(await store.productions.ids()), ...(await store.batches.ids())]);
    throw new Refused(`the ledger has no takes of "${production}" for the account ${config.account}.${near}`);
  }
  if (options.json === true) printJson(books);
  else printBooks(books);
  return EXIT.completed;
}

async function backup(config: Config, file: string, { json }: LedgerOptions): Promise<ExitCode> {
  const { folder } = await openOwnStore(config);
  const records = await writeBackup(folder, absolute(file));
  if (json === true) printJson({ file: absolute(file), records });
  else
    print(
      `${counted(records, 'record is', 'records are')} in ${absolute(file)}. The backup has no assets: to keep them, copy the store.`,
    );
  return EXIT.completed;
}

async function restore({ storeFolder }: Config, file: string, options: LedgerOptions): Promise<ExitCode> {
  await refuseWhileUp(storeFolder);
  const nothingSentSince = options.nothingSentSinceBackup === true;
  const restored = await restoreBackup(storeFolder, absolute(file), { nothingSentSince }).catch(refused);
  if (options.json === true) {
    printJson(restored);
    return EXIT.completed;
  }
  const { gap, written, present, kept, held, openGap } = restored;
  print(
    `${counted(written, 'record was', 'records were')} restored from the backup of ${gap.backupAt}; ${counted(present, 'was', 'were')} here already.`,
  );
  for (const key of kept) tell(`${key} differs from the backup; the record in the store was kept.`);
  if (openGap !== null) {
    // --nothing-sent-since-backup is about this backup: a gap of an earlier, older backup stays open.
    const backup = nothingSentSince ? 'an earlier backup' : 'the backup';
    if (held > 0) print(`Takes that may have been sent since ${backup}: ${held}. They are unclear now.`);
    print([
      `Tasks that were sent after ${openGap.backupAt} may be missing from this ledger. So nothing is sent for now: a`,
      "shot parks if it has no accepted take. Look at the gateway's own list of tasks before deciding about these shots.",
      `If nothing was sent since ${backup}, type: dailies ledger --nothing-sent-since-backup`,
    ]);
  }
  return EXIT.completed;
}

async function clear(config: Config, { json }: LedgerOptions): Promise<ExitCode> {
  const freed = await clearRestored(await openOwnStore(config)).catch(refused);
  if (freed === undefined) throw new Refused('there is nothing to release: no restore keeps takes from being sent');
  if (json === true) printJson({ freed });
  else print(`Noted. Takes that were held and may be sent now: ${freed}. What was unclear before the backup still is.`);
  return EXIT.completed;
}

/** A worker that read the ledger before the restore could pay again for a restored take. */
async function refuseWhileUp(storeFolder: string): Promise<void> {
  if ((await readHolder(setFiles(storeFolder).lock)) === undefined) return;
  throw new Refused(`Dailies is running on the store ${storeFolder}; end it and all other workers of this store first`);
}

function refused(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  const isRefusal = error instanceof BackupError || error instanceof RestoreUnfinished || errorCode(error) === 'ENOENT';
  throw isRefusal ? new Refused(error.message) : error;
}

const COLUMNS = ['takes', 'accepted', 'refused', 'unclear', 'settled', 'failed', 'credits'] as const;

function printBooks({ account, productions, total, unclear, broken, otherAccounts, gap }: LedgerBooks): void {
  const rows = [
    ['production', ...COLUMNS],
    ...productions.map((one) => [one.production, ...cells(one)]),
    ['all', ...cells(total)],
  ];
  print([`The books of the account ${account}`, ...columns(rows), ...bounds(total)]);
  for (const one of unclear) print(unclearInWords(one));
  for (const { production, shot, take, reason } of broken) {
    print(`  ${production}, ${shot}, take ${take}: its records cannot be read: ${reason}`);
  }
  for (const other of otherAccounts) {
    print(
      `  This store also has ${counted(other.takes, 'take')} of the account ${other.account}: DAILIES_GATEWAY_ACCOUNT shows them`,
    );
  }
  if (gap === 'restore unfinished') {
    print([
      '  A restore or a takeover was interrupted, and nothing is sent until it is done.',
      '    type the same command again: dailies ledger --restore FILE, or dailies store --moved or --adopt-copy',
    ]);
  } else if (gap !== null) {
    print([
      `  Restored or taken over on ${gap.restoredAt}: tasks that were sent after ${gap.backupAt} may be missing here.`,
      '    if nothing was sent in between, type: dailies ledger --nothing-sent-since-backup',
    ]);
  }
}

function cells(tally: Tally): readonly string[] {
  return COLUMNS.map((column) => String(tally[column]));
}

/** The ledger's guarantee with its counts. Then lines about aliases, unclear takes and unknown charges, if any. */
function bounds({ accepted, unknown, unclear, chargeUnknown, failed, aliases }: Tally): readonly string[] {
  return [
    `  Accepted in the ledger (${accepted}) <= accepted by the gateway <= accepted in the ledger, plus the submits ` +
      `that may have been accepted (${accepted} + ${unknown})`,
    ...(aliases === 0 ? [] : [`  Takes that are reused from other productions, at no cost: ${aliases}`]),
    ...(unclear === 0 ? [] : [`  Waiting for a decision: ${unclear}`]),
    ...(chargeUnknown === 0
      ? []
      : [
          `  Tasks that ended without a known charge: ${chargeUnknown}. Failed tasks in all, with or without a charge: ${failed}`,
        ]),
  ];
}

function unclearInWords(one: OpenUnclear): readonly string[] {
  const { production, shot, take, sentAt, idempotencyKey, since, reason, model, parameters, command } = one;
  return [
    `  ${production}, ${shot}, take ${take}: unclear since ${since}: ${reason}`,
    `    sent ${sentAt ?? 'at an unknown time'}: ${model} ${JSON.stringify(parameters)}`,
    `    idempotency key ${idempotencyKey}`,
    `    type: ${command}`,
  ];
}

/** Aligns the first column to the left and the numbers to the right. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))) ?? [];
  return rows.map((row) => {
    const padded = row.map((cell, index) =>
      index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
    );
    return `  ${padded.join('  ')}`;
  });
}
