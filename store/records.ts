import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ZodError } from 'zod';
import { accessInWords, deniesAccess } from './disk/access';
import { createExclusive, errorCode, ifPresent, replaceAtomically, systemCall } from './disk/durable-file';
import { warnOfForeignName } from './disk/foreign-names';

/**
 * Small JSON records under slash-separated keys, such as `ledger/lighthouse/dawn/1/intent`.
 *
 * An object store with conditional puts could implement this interface, which needs only exclusive creation, atomic
 * replacement and listing.
 */
export interface Records {
  /** Writes a new record durably. False if the key is taken. */
  create(key: string, value: unknown): Promise<boolean>;
  /** Writes the record durably and replaces any earlier one. */
  replace(key: string, value: unknown): Promise<void>;
  /** Undefined if there is no record. @throws UnreadableRecord; other read errors, which may be temporary. */
  read(key: string): Promise<unknown>;
  /** Names of the records and folders directly below the key, in no order. Skips names that Dailies did not make. */
  list(key: string): Promise<readonly string[]>;
  /**
   * A text that changes when a record or folder directly below the key is created or replaced. Undefined if nothing is
   * below the key, or if the last change is so recent that the next change might give the same text. The method is
   * absent if the store cannot detect changes cheaply.
   */
  versionOf?(key: string): Promise<string | undefined>;
}

/** A record that exists but is not JSON or cannot be read, for example on a failing disk. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
  /** The system's error code, if the system refuses to read the file. */
  readonly code: string | undefined;
  /** The system call that was refused. `deniesAccess` and `lacksHardLinks` depend on it. */
  readonly syscall: string | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.code = errorCode(cause);
    this.syscall = systemCall(cause);
  }
}

/** True if a record can be read and its content is wrong; false for a system error, which may be temporary. */
export function isDamaged(error: unknown): boolean {
  return error instanceof ZodError || (error instanceof UnreadableRecord && error.code === undefined);
}

/** The result of `read` as `value`; undefined if a record is unreadable or does not match its schema. */
export async function ifReadable<T>(
  read: () => Promise<T>,
  onUnreadable: (error: Error) => void = () => undefined,
): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!(error instanceof UnreadableRecord || error instanceof ZodError)) throw error;
    onUnreadable(error);
    return undefined;
  }
}

/** One segment of a key. It is safe as a file name, and cannot lead out of the folder. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

const RECORD = '.json';

/** Read errors that concern one file. Other errors, such as too many open files, may be temporary. */
const BLOCKED = new Set(['EACCES', 'EPERM', 'EISDIR', 'ELOOP', 'EIO']);

/**
 * A folder's modification time serves as a version only when it is this old. The clock of a file system ticks every few
 * ms, so a later change might get the same time.
 */
const SETTLED_AFTER_MS = 1_000;

export function createFolderRecords(folder: string): Records {
  const pathOf = (key: string): string => join(folder, ...segments(key)) + RECORD;
  return {
    create: async (key, value) => allowed(pathOf(key), (path) => createExclusive(path, serialize(value), folder)),
    replace: async (key, value) => allowed(pathOf(key), (path) => replaceAtomically(path, serialize(value), folder)),
    async read(key) {
      const text = await ifPresent(readFile(pathOf(key), 'utf8')).catch(async (error: unknown) => {
        if (!BLOCKED.has(errorCode(error) ?? '')) throw error;
        throw new UnreadableRecord(
          `the record ${key} cannot be read: ${await refusalInWords(error, pathOf(key))}`,
          error,
        );
      });
      if (text === undefined) return undefined;
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw new UnreadableRecord(`the record ${key} is not JSON; it may have been cut short`);
      }
    },
    async list(key) {
      const path = join(folder, ...segments(key));
      const entries = (await ifPresent(readdir(path, { withFileTypes: true }))) ?? [];
      const names = await Promise.all(
        entries.map(async (entry) => {
          const isFile = entry.isSymbolicLink() ? await leadsToFile(join(path, entry.name)) : entry.isFile();
          // The name of a folder may be an id that ends in .json or .part. A file without .json is not a record.
          const isRecord = isFile && entry.name.endsWith(RECORD);
          const name = isRecord ? entry.name.slice(0, -RECORD.length) : entry.name;
          if (SEGMENT.test(name) && (isRecord || !isFile)) return name;
          warnOfForeignName(key, entry.name);
          return undefined;
        }),
      );
      return names.filter((name) => name !== undefined);
    },
    async versionOf(key) {
      const found = await ifPresent(stat(join(folder, ...segments(key)), { bigint: true }));
      if (found === undefined || Date.now() - Number(found.mtimeMs) < SETTLED_AFTER_MS) return undefined;
      return `${found.ino}-${found.mtimeNs}`;
    },
  };
}

/** True if a text can be one segment of a key, for example the id of a production or shot. */
export function isRecordId(text: string): boolean {
  return SEGMENT.test(text);
}

/** The numbers of one kind of record, ascending: 1 and 2 for `sent-1` and `sent-2`. */
export function numbersOf(names: readonly string[], kind: string): readonly number[] {
  const prefix = `${kind}-`;
  return names
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((a, b) => a - b);
}

/** True if a symbolic link leads to a file, or to nothing: a dangling link shows that a record was written. */
async function leadsToFile(link: string): Promise<boolean> {
  const target = await stat(link).catch(() => undefined);
  return target === undefined || target.isFile();
}

/** Runs a write. If the system denies access, the error also says who may write to the folder. */
async function allowed<T>(path: string, write: (path: string) => Promise<T>): Promise<T> {
  try {
    return await write(path);
  } catch (error) {
    if (!deniesAccess(error)) throw error;
    throw Object.assign(new Error(await refusalInWords(error, dirname(path)), { cause: error }), {
      code: errorCode(error),
      syscall: systemCall(error),
    });
  }
}

async function refusalInWords(error: unknown, path: string): Promise<string> {
  const words = error instanceof Error ? error.message : String(error);
  return deniesAccess(error) ? `${words}; ${await accessInWords(path)}` : words;
}

function segments(key: string): readonly string[] {
  const parts = key.split('/');
  for (const part of parts) {
    if (!SEGMENT.test(part)) throw new RangeError(`"${part}" cannot be part of a record's key`);
  }
  return parts;
}

function serialize(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
