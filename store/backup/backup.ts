import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { ACCOUNTS } from '../account/account-folder';
import { BATCHES } from '../batch/batches';
import { DIRECTING } from '../production/directing';
import { flushFile, makeFolder, moveDurably } from '../disk/durable-file';
import { linesOf } from '../disk/lines';
import { TASKS } from '../ledger/ledger-search';
import { PRIVATE } from '../disk/modes';
import { NOTICES, NOTIFY_TARGETS } from '../production/notices';
import { PRODUCTIONS } from '../production/productions';
import { createFolderRecords, type Records, UnreadableRecord } from '../records';
import { RESTORED } from './restored';
import { SCHEDULES } from '../batch/schedules';
import { requireStoreId } from '../store';
import { LEDGER } from '../ledger/take-address';

/**
 * A backup is one file of JSON lines: a header, one line per record, and a closing line. The closing line has the
 * number of records and the hash of all lines before it.
 *
 * A backup has what was sent, accepted and charged, including prompts and the addresses that receive notices. It has no
 * assets and no API key.
 */

const FORMAT = 1;

/**
 * Keys of the records, and folders of records, that a restored store needs. Leaves out records that workers make again,
 * records that matter only while something runs, and the paths of published results (`out-places`).
 */
const ROOTS = [
  'store',
  LEDGER,
  TASKS,
  'prices',
  PRODUCTIONS,
  DIRECTING,
  BATCHES,
  SCHEDULES,
  NOTICES,
  NOTIFY_TARGETS,
  ACCOUNTS,
  RESTORED,
];

/**
 * Keys that are left out although their folder is included. The record of an archived history names an asset, and a
 * backup holds no assets. Of an account's records only the limits are included, since a person sets them.
 */
const LEFT_OUT = /^productions\/[^/]+\/histories$|^accounts\/[^/]+\/(?!limits(-after-[\d-]+)?$)/;

const Header = z.looseObject({
  backup: z.literal('dailies ledger'),
  format: z.literal(FORMAT),
  store: z.string(),
  /** When the backup began, ISO 8601. Records that were written later may be missing. */
  at: z.string(),
});
export type BackupHeader = z.infer<typeof Header>;

/** One record. `unreadable`: it exists, but could not be read, for example because a crash cut it short. */
const Entry = z.union([
  z.strictObject({ key: z.string(), value: z.unknown() }),
  z.strictObject({ key: z.string(), unreadable: z.literal(true) }),
]);
export type BackupEntry = z.infer<typeof Entry>;

const Closing = z.strictObject({ records: z.int(), sha256: z.string() });

/** The file is not a complete, unaltered backup, or contradicts the store. Nothing was restored. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * Writes a backup of the store in `folder` to one file, which appears complete or not at all.
 *
 * Workers may run meanwhile, because each record appears and changes atomically.
 *
 * @returns the number of records.
 * @throws StoreError if there is no usable store; UnreadableRecord if `store.json` cannot be read.
 */
export async function writeBackup(folder: string, file: string): Promise<number> {
  const records = createFolderRecords(folder);
  const store = await requireStoreId(folder);
  const hash = createHash('sha256');
  let count = 0;
  const line = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };

  async function* lines(): AsyncGenerator<string> {
    yield line({ backup: 'dailies ledger', format: FORMAT, store, at: new Date().toISOString() });
    for (const root of ROOTS) {
      for await (const entry of entriesUnder(records, root)) {
        count += 1;
        yield line(entry);
      }
    }
    yield `${JSON.stringify({ records: count, sha256: hash.digest('hex') })}\n`;
  }

  await makeFolder(dirname(file), undefined, PRIVATE.folder);
  const part = `${file}.${randomUUID()}.part`;
  try {
    await pipeline(Readable.from(lines()), createWriteStream(part, { flags: 'wx', mode: PRIVATE.file }));
    await flushFile(part);
    await moveDurably(part, file);
  } finally {
    await rm(part, { force: true });
  }
  return count;
}

/**
 * Reads a backup and passes each record to `onEntry`.
 *
 * @throws BackupError if the file is truncated, altered or of another kind, possibly after calls of `onEntry`.
 */
export async function readBackup(
  file: string,
  onEntry: (entry: BackupEntry, header: BackupHeader) => void | Promise<void>,
): Promise<BackupHeader> {
  const hash = createHash('sha256');
  let header: BackupHeader | undefined;
  let previous: string | undefined;
  let count = 0;
  // A line is an entry only if another line follows it: the last one is the closing line.
  for await (const text of linesOf(file)) {
    if (previous !== undefined) {
      hash.update(`${previous}\n`);
      if (header === undefined) {
        header = parsed(Header, previous, file);
      } else {
        await onEntry(parsed(Entry, previous, file), header);
        count += 1;
      }
    }
    previous = text;
  }
  const closing = Closing.safeParse(parseJson(previous ?? ''));
  if (header === undefined || !closing.success) {
    throw new BackupError(
      `${file} is an incomplete backup: its closing line is missing; take another copy, or another backup`,
    );
  }
  if (closing.data.records !== count || closing.data.sha256 !== hash.digest('hex')) {
    throw new BackupError(
      `${file} was altered: its lines do not match the count and the hash in its closing line; take another copy, or another backup`,
    );
  }
  return header;
}

async function* entriesUnder(records: Records, key: string): AsyncGenerator<BackupEntry> {
  if (LEFT_OUT.test(key)) return;
  const entry = await entryOf(records, key);
  if (entry !== undefined) yield entry;
  for (const name of (await records.list(key)).toSorted()) yield* entriesUnder(records, `${key}/${name}`);
}

async function entryOf(records: Records, key: string): Promise<BackupEntry | undefined> {
  try {
    const value = await records.read(key);
    return value === undefined ? undefined : { key, value };
  } catch (error) {
    if (error instanceof UnreadableRecord) return { key, unreadable: true };
    throw error;
  }
}

function parsed<T>(schema: z.ZodType<T>, line: string, file: string): T {
  const result = schema.safeParse(parseJson(line));
  if (result.success) return result.data;
  throw new BackupError(`${file} is not a backup of a ledger that this version of Dailies can read`);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
