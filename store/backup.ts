import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { ACCOUNTS } from './account-folder';
import { BATCHES } from './batches';
import { DIRECTING } from './directing';
import { flushFile, makeFolder, moveDurably } from './durable-file';
import { TASKS } from './ledger';
import { PRIVATE } from './modes';
import { NOTICES, NOTIFY_TARGETS } from './notices';
import { type Records, UnreadableRecord } from './records';
import { RESTORED } from './restored';
import { SCHEDULES } from './scheduled-runs';

/**
 * A backup is one file of JSON lines: a header, one line per record, and a closing line with the number of records and
 * the hash of all lines before it.
 *
 * It holds what was sent, accepted and charged, including prompts and addresses of notices. It holds no assets and no
 * key.
 */

const FORMAT = 1;

/**
 * The records that a restored store needs. Records that are learned again, or that matter only while something runs,
 * are left out.
 */
const ROOTS = [
  'store',
  'ledger',
  TASKS,
  'prices',
  'productions',
  DIRECTING,
  BATCHES,
  SCHEDULES,
  NOTICES,
  NOTIFY_TARGETS,
  ACCOUNTS,
  RESTORED,
];

/**
 * Archived histories are assets, and useless without them. Of an account only the limits are kept, since a person set
 * them; the rest is learned again.
 */
const LEFT_OUT = /^productions\/[^/]+\/histories$|^accounts\/[^/]+\/(?!limits$)/;

const Header = z.looseObject({
  backup: z.literal('dailies ledger'),
  format: z.literal(FORMAT),
  store: z.string(),
  /** When the backup began, ISO 8601. Later records may be missing. */
  at: z.string(),
});
export type BackupHeader = z.infer<typeof Header>;

/** `unreadable` marks a record that a crash cut short: it shows that something was begun. */
const Entry = z.union([
  z.strictObject({ key: z.string(), value: z.unknown() }),
  z.strictObject({ key: z.string(), unreadable: z.literal(true) }),
]);
export type BackupEntry = z.infer<typeof Entry>;

const Closing = z.strictObject({ records: z.int(), sha256: z.string() });

/** The file is no backup, or an incomplete one. Nothing was restored. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * Writes a backup to one file, which appears complete or not at all.
 *
 * Workers may run meanwhile: records are written once, so each is complete or not there yet.
 *
 * @returns the number of records.
 */
export async function writeBackup(store: { id: string; records: Records }, file: string): Promise<number> {
  const hash = createHash('sha256');
  let count = 0;
  const line = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };

  async function* lines(): AsyncGenerator<string> {
    yield line({ backup: 'dailies ledger', format: FORMAT, store: store.id, at: new Date().toISOString() });
    for (const root of ROOTS) {
      for await (const entry of entriesUnder(store.records, root)) {
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
 * @throws BackupError if the file is truncated, altered or of another kind. By then records have been passed on.
 */
export async function readBackup(
  file: string,
  onEntry: (entry: BackupEntry, header: BackupHeader) => void | Promise<void>,
): Promise<BackupHeader> {
  const hash = createHash('sha256');
  let header: BackupHeader | undefined;
  let waiting: string | undefined;
  let count = 0;
  // The last line is the closing line, so each line waits until the next one is read.
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (waiting !== undefined) {
      hash.update(`${waiting}\n`);
      if (header === undefined) {
        header = parsed(Header, waiting, file);
      } else {
        await onEntry(parsed(Entry, waiting, file), header);
        count += 1;
      }
    }
    waiting = text;
  }
  const closing = Closing.safeParse(json(waiting ?? ''));
  if (header === undefined || !closing.success) {
    throw new BackupError(
      `${file} is no whole backup of a ledger: its closing line is missing; take another copy, or another backup`,
    );
  }
  if (closing.data.records !== count || closing.data.sha256 !== hash.digest('hex')) {
    throw new BackupError(
      `${file} was altered: its lines are not those that its closing line counts and hashes; take another copy, or another backup`,
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
  const result = schema.safeParse(json(line));
  if (result.success) return result.data;
  throw new BackupError(`${file} is no backup of a ledger that this version of Dailies can read`);
}

function json(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
