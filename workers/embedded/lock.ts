import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createExclusive, errorCode, replaceAtomically } from '../../store/disk/durable-file';
import { isAlive, isHere, type ProcessIdentity } from './process-identity';

/**
 * The lock of a store's embedded set (the worker and servers that commands start and share). It is a folder of numbered
 * files; the highest number is in force.
 *
 * A process that dies leaves its lock behind, so another process must be able to take the lock over. With "look,
 * delete, create", two processes can take the lock over: the slower process deletes the file that the faster process
 * has just created. So the file in force is never deleted here.
 *
 * If the highest file n is released, or its holder is dead, a process takes the lock over: it creates file n + 1 with
 * its content in one step, which fails if n + 1 exists. So exactly one process succeeds, and deletes the lower files. A
 * slow process that has read the folder earlier may then still create a file with a deleted number. But the highest
 * file is never deleted, so a higher file exists by then. Therefore each process reads the folder again after the
 * creation, and the slow process sees that it does not hold the lock.
 *
 * A crash leaves at worst a file that the next holder deletes, or a part file that every process ignores.
 */

/**
 * How often a holder touches its file. A holder whose process is not visible here, for example in another container,
 * counts as alive while it touches its file. Clocks differ and can be reset, so the time of a file alone proves
 * nothing: before a process takes the lock over from such a holder, it watches the file for six of these intervals.
 */
export const TOUCH_INTERVAL_MS = 5_000;
const UNSEEN_HOLDER_GONE_AFTER_MS = 6 * TOUCH_INTERVAL_MS;
const POLL_INTERVAL_MS = 1_000;

export interface Holder {
  readonly process: ProcessIdentity;
  /** The supervisor's port on 127.0.0.1. */
  readonly port: number;
  readonly token: string;
}

export interface Lock {
  /**
   * Shows that the holder is alive, for processes that cannot see the holder's process.
   *
   * @throws LockLost if another process holds the lock, or if every file is missing for the second time in a row. Other
   *   errors may be temporary.
   */
  touch(): Promise<void>;
  /** Does nothing if the lock is lost. */
  release(): Promise<void>;
}

/** The lock's file is gone, or another process has taken the lock over. */
export class LockLost extends Error {
  override readonly name = 'LockLost';
}

interface Generation {
  readonly number: number;
  /** Null after the release of the lock. */
  readonly holder: Holder | null;
  readonly touchedAtMs: number;
}

/**
 * Takes the lock; undefined if a living process holds the lock, or has taken or released it during this call.
 *
 * @param goneAfterMs how long the file of a holder that is not visible here must stay untouched, measured by this
 * process's monotonic clock.
 */
export async function takeLock(
  folder: string,
  holder: Holder,
  goneAfterMs = UNSEEN_HOLDER_GONE_AFTER_MS,
): Promise<Lock | undefined> {
  // The token lets a command attach, so only the owner may read the folder.
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const latest = await latestGeneration(folder);
  if (latest !== undefined && isHeld(latest)) return undefined;
  if (latest !== undefined && isUnseen(latest) && (await isTouched(folder, latest, goneAfterMs))) return undefined;

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

  const isOwn = (now: Generation | undefined): boolean => now?.number === number && now.holder?.token === holder.token;
  let missing = 0;
  return {
    async touch() {
      const now = await latestGeneration(folder);
      missing = now === undefined ? missing + 1 : 0;
      // Not yet `LockLost`: a disk may be unavailable for a moment.
      if (missing === 1) throw new Error(`the lock ${file} cannot be found`);
      if (!isOwn(now)) throw new LockLost(`the lock ${file} is gone, or another process holds it`);
      await utimes(file, new Date(), new Date());
    },
    async release() {
      if (isOwn(await latestGeneration(folder))) await replaceAtomically(file, JSON.stringify(null));
    },
  };
}

/** The holder of the lock; undefined if no living process holds it. */
export async function readHolder(folder: string): Promise<Holder | undefined> {
  const latest = await latestGeneration(folder);
  return latest?.holder != null && isHeld(latest) ? latest.holder : undefined;
}

function isHeld({ holder, touchedAtMs }: Generation): boolean {
  if (holder === null) return false;
  if (isHere(holder.process)) return isAlive(holder.process);
  // A time far in the future comes from another clock, so it counts as old too.
  return Math.abs(Date.now() - touchedAtMs) < UNSEEN_HOLDER_GONE_AFTER_MS;
}

function isUnseen({ holder }: Generation): boolean {
  return holder !== null && !isHere(holder.process);
}

/** Watches a lock's file; true if its holder touches or releases it, or another process takes the lock over. */
async function isTouched(folder: string, seen: Generation, forMs: number): Promise<boolean> {
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    await delay(Math.min(POLL_INTERVAL_MS, forMs));
    const now = await latestGeneration(folder);
    if (now?.number !== seen.number || now.touchedAtMs !== seen.touchedAtMs || now.holder === null) return true;
  }
  return false;
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
      // Either no process has taken the lock yet, or another process has created a higher file and deleted this one.
      if (!existsSync(folder)) return undefined;
    }
  }
}

function numbersAmong(names: readonly string[]): readonly number[] {
  return names.map(Number).filter(Number.isSafeInteger);
}
