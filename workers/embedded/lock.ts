import { link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, isHere, type ProcessIdentity } from './process-identity';

/**
 * The one lock of a store's embedded set: a folder of numbered files, of which the highest number counts.
 *
 * A lock that can be left behind has to be taken over, and "look, delete, create" lets two take it over: the slower
 * one deletes what the faster one has just created. So nothing that counts is ever deleted here. Whoever finds the
 * highest file n released, or its holder dead, creates n + 1 with its content in one step that fails where n + 1
 * exists; of many that try, one succeeds. The winner deletes the lower ones. Someone slow, who looked before that,
 * may then still create a number that was deleted meanwhile; but a higher one exists by then, since the highest is
 * never deleted, so that looking once more after the creation tells them that they hold nothing.
 *
 * A crash at any point leaves at worst a file that the next holder deletes.
 */

/** A holder that cannot be seen from here, as in another container, is taken for alive while it touches its file. */
export const TOUCH_INTERVAL_MS = 5_000;
const UNSEEN_HOLDER_GONE_AFTER_MS = 6 * TOUCH_INTERVAL_MS;

/** Holds the token that lets a command in, so the file is for its owner's eyes only. */
const OWNER_ONLY = 0o600;

export interface Holder {
  readonly process: ProcessIdentity;
  /** Where the supervisor listens, on 127.0.0.1. */
  readonly port: number;
  readonly token: string;
}

export interface Lock {
  /** Says that the holder lives, to those who cannot see its process. */
  touch(): Promise<void>;
  release(): Promise<void>;
}

interface Generation {
  readonly number: number;
  /** Null once it was released. */
  readonly holder: Holder | null;
  readonly touchedAtMs: number;
}

/** Takes the lock; undefined where a living process holds it or was faster. */
export async function takeLock(folder: string, holder: Holder): Promise<Lock | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const latest = await latestGeneration(folder);
  if (latest !== undefined && isHeld(latest)) return undefined;

  const number = (latest?.number ?? 0) + 1;
  const file = join(folder, String(number));
  const draft = join(folder, `draft-${holder.token}`);
  if (!(await createWhole(file, draft, holder))) return undefined;

  const names = await readdir(folder);
  if (highest(names) !== number) {
    await rm(file, { force: true });
    return undefined;
  }
  await Promise.all(
    names.filter((name) => name !== String(number)).map((name) => rm(join(folder, name), { force: true })),
  );

  return {
    touch: () => utimes(file, new Date(), new Date()),
    release: async () => {
      await writeFile(draft, JSON.stringify(null), { mode: OWNER_ONLY });
      await rename(draft, file);
    },
  };
}

/** Who holds the lock now; undefined where nobody does. */
export async function readHolder(folder: string): Promise<Holder | undefined> {
  const latest = await latestGeneration(folder);
  return latest?.holder != null && isHeld(latest) ? latest.holder : undefined;
}

/** Creates the file with all its content in one step; false where it exists, or where a winner has tidied the draft away. */
async function createWhole(file: string, draft: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(draft, JSON.stringify(holder), { mode: OWNER_ONLY });
    await link(draft, file);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST') || isErrno(error, 'ENOENT')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function isHeld({ holder, touchedAtMs }: Generation): boolean {
  if (holder === null) return false;
  if (isHere(holder.process)) return isAlive(holder.process);
  return Date.now() - touchedAtMs < UNSEEN_HOLDER_GONE_AFTER_MS;
}

async function latestGeneration(folder: string): Promise<Generation | undefined> {
  try {
    const number = highest(await readdir(folder));
    if (number === 0) return undefined;
    const file = join(folder, String(number));
    const { mtimeMs: touchedAtMs } = await stat(file);
    return { number, touchedAtMs, holder: JSON.parse(await readFile(file, 'utf8')) as Holder | null };
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    // Either there is no folder yet, or a higher file has come and this one was deleted.
    return (await exists(folder)) ? latestGeneration(folder) : undefined;
  }
}

function highest(names: readonly string[]): number {
  return Math.max(0, ...names.map(Number).filter(Number.isSafeInteger));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function isErrno(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
