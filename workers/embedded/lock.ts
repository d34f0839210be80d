import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createExclusive, errorCode, replaceAtomically } from '../../store/durable-file';
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
  // The token lets a command in, so the folder is for its owner's eyes only.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const latest = await latestGeneration(folder);
  if (latest !== undefined && isHeld(latest)) return undefined;

  const number = (latest?.number ?? 0) + 1;
  const file = join(folder, String(number));
  if (!(await createExclusive(file, JSON.stringify(holder)))) return undefined;
  const numbers = numbersAmong(await readdir(folder));
  if (Math.max(...numbers) !== number) {
    await rm(file, { force: true });
    return undefined;
  }
  const lower = numbers.filter((other) => other < number);
  await Promise.all(lower.map((other) => rm(join(folder, String(other)), { force: true })));

  return {
    touch: () => utimes(file, new Date(), new Date()),
    release: () => replaceAtomically(file, JSON.stringify(null)),
  };
}

/** Who holds the lock now; undefined where nobody does. */
export async function readHolder(folder: string): Promise<Holder | undefined> {
  const latest = await latestGeneration(folder);
  return latest?.holder != null && isHeld(latest) ? latest.holder : undefined;
}

function isHeld({ holder, touchedAtMs }: Generation): boolean {
  if (holder === null) return false;
  if (isHere(holder.process)) return isAlive(holder.process);
  return Date.now() - touchedAtMs < UNSEEN_HOLDER_GONE_AFTER_MS;
}

async function latestGeneration(folder: string): Promise<Generation | undefined> {
  for (;;) {
    try {
      const numbers = numbersAmong(await readdir(folder));
      if (numbers.length === 0) return undefined;
      const number = Math.max(...numbers);
      const file = join(folder, String(number));
      const { mtimeMs: touchedAtMs } = await stat(file);
      return { number, touchedAtMs, holder: JSON.parse(await readFile(file, 'utf8')) as Holder | null };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // Either nobody has taken the lock yet, or a higher file has come and this one was deleted.
      if (!existsSync(folder)) return undefined;
    }
  }
}

function numbersAmong(names: readonly string[]): readonly number[] {
  return names.map(Number).filter(Number.isSafeInteger);
}
