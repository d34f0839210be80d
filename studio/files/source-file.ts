import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Refused } from '../../client/wording/refused';
import { errorCode, ifPresent } from '../../store';

/** The text of a production file, and its version. */
export interface SourceText {
  readonly text: string;
  /** SHA-256 of the file's bytes. */
  readonly version: string;
}

// MAINTENANCE: keep in step with client/production-file/load-production.ts.
const MAX_SIZE_BYTES = 8 * 1024 * 1024;

/** @throws Refused if the file cannot be read, is no regular file, is too large, or is not UTF-8. */
export async function readSource(path: string): Promise<SourceText> {
  return textOf(path, (await readBytes(path)).bytes);
}

/**
 * Replaces the text of a file atomically. The file keeps its mode, and CR LF if all its line breaks are CR LF.
 *
 * @param shownVersion version of the text that the person saw.
 * @returns false, without a change, if the file has another version by now.
 * @throws Refused if the file cannot be read or written.
 */
export async function replaceSource(path: string, shownVersion: string, newText: string): Promise<boolean> {
  // Replaces the target of a symbolic link, not the link.
  const target = await realpath(path).catch((error: unknown) => Promise.reject(unreadable(path, error)));
  const { bytes, mode } = await readBytes(target);
  const before = textOf(path, bytes);
  if (before.version !== shownVersion) return false;
  const part = `${target}.${randomUUID()}.part`;
  try {
    await writeFile(part, withLineBreaksOf(before.text, newText), { flag: 'wx', flush: true, mode: 0o600 });
    await chmod(part, mode);
    if ((await readSource(target)).version !== shownVersion) return false;
    await rename(part, target);
    return true;
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(`${path} cannot be written (${errorCode(error) ?? String(error)}); nothing has changed`);
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Creates a file; does nothing if it exists with the same bytes.
 *
 * @throws Refused if it exists with other bytes, or cannot be written.
 */
export async function createSource(path: string, contents: string | Buffer): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeNew(path, contents);
  } catch (error) {
    if (await hasBytes(path, Buffer.from(contents))) return;
    const isThere = errorCode(error) === 'EEXIST' && (await ifPresent(lstat(path))) !== undefined;
    throw new Refused(
      isThere
        ? `${path} exists already with other contents and was not overwritten. Choose another name`
        : `${path} cannot be written (${errorCode(error) ?? String(error)})`,
    );
  }
}

/** Writes a new file. Leaves no partial file behind if writing fails. @throws EEXIST if the file exists. */
async function writeNew(path: string, contents: string | Buffer): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(contents);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Whether a file has exactly these bytes. False if it is larger than `MAX_SIZE_BYTES` or cannot be read. */
export async function hasBytes(path: string, bytes: Buffer): Promise<boolean> {
  const found = await readBytes(path).catch(() => undefined);
  return found?.bytes.equals(bytes) === true;
}

/** An unexpected error after the file was saved, with a message that says so. */
export function afterSaving(path: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`The file is saved as ${path}, but the render may not have begun: ${reason}`, { cause });
}

export function versionOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function readBytes(path: string): Promise<{ readonly bytes: Buffer; readonly mode: number }> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const entry = await file.stat();
      if (!entry.isFile()) throw new Refused(`${path} is not a file`);
      if (entry.size > MAX_SIZE_BYTES) {
        throw new Refused(`${path} has ${entry.size} bytes; a production has at most ${MAX_SIZE_BYTES}`);
      }
      return { bytes: await file.readFile(), mode: entry.mode & 0o7777 };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof Refused ? error : unreadable(path, error);
  }
}

function textOf(path: string, bytes: Buffer): SourceText {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, version: createHash('sha256').update(bytes).digest('hex') };
  } catch {
    throw new Refused(`${path} is not UTF-8 text; save it as UTF-8`);
  }
}

function unreadable(path: string, error: unknown): Refused {
  const code = errorCode(error);
  return new Refused(
    code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read (${code ?? String(error)})`,
  );
}

/** Restores CR LF if all line breaks of the old text are CR LF. The text from the form has LF. */
function withLineBreaksOf(oldText: string, newText: string): string {
  const isWindows = oldText.includes('\r\n') && !/(^|[^\r])\n/.test(oldText);
  return isWindows ? newText.replaceAll('\n', '\r\n') : newText;
}
