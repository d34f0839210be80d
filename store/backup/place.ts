import { stat, statfs, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { errorCode } from '../disk/durable-file';
import { ifReadable, type Records } from '../records';

/**
 * The place of a store is the inode and the birth time of its `store.json`. The store records this place (the mark). A
 * copy of the store contains the same mark, but its `store.json` has another inode or birth time.
 *
 * Source: docs/decisions/0034-store-copies.md.
 */

const PLACE = 'store-place';

/** The inode and the birth time are text, since they may be too large for exact JSON numbers. */
const Place = z.looseObject({
  inode: z.string(),
  /** Nanoseconds since 1970; null if unknown, and on overlayfs. */
  born: z.string().nullable(),
  /** Only for messages. */
  folder: z.string(),
  host: z.string(),
  at: z.string(),
});
export type Place = z.infer<typeof Place>;

/** The marked and the actual place of a store, which differ. */
export interface MovedPlace {
  readonly marked: Place;
  readonly actual: Place;
}

/** NFS may round birth times. Smaller differences are ignored: the inode still distinguishes a copy. */
const BIRTH_TOLERANCE_NS = 2_000_000_000n;

/** Longer than a tick of the kernel's clock (at most 10 ms), from which file systems take times. */
const PAST_A_TICK_MS = 20;

const OVERLAY = 0x794c7630;

/** Linux file systems that keep a file's inode across mounts and hosts. Numbers: coreutils, src/fs.h. */
const LASTING_INODES = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x2fc12fc1, // ZFS
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x01021994, // tmpfs
  0x6969, // NFS
  0x00c36400, // Ceph
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
  0x7461636f, // OCFS2
  0x01161970, // GFS2
  OVERLAY,
]);

/** Marks the place of a store that has no mark. Ignores errors of the file system, such as a read-only store. */
export async function markNewPlace(records: Records, folder: string): Promise<void> {
  try {
    const mark = await ifReadable(() => records.read(PLACE));
    if (mark === undefined || mark.value !== undefined) return;
    const place = await placeOf(folder);
    if (place !== undefined) await records.create(PLACE, place);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** Marks the current place of a store, and replaces an earlier mark. */
export async function markPlace(records: Records, folder: string): Promise<void> {
  const place = await placeOf(folder);
  if (place !== undefined) await records.replace(PLACE, place);
}

/** The mark of a store; undefined if the mark is missing or unreadable. */
export async function markedPlace(records: Records): Promise<Place | undefined> {
  return (await ifReadable(async () => Place.optional().parse(await records.read(PLACE))))?.value;
}

/** The two places if the store is not at its marked place; undefined otherwise, or if either place is unknown. */
export async function movedPlace(records: Records, folder: string): Promise<MovedPlace | undefined> {
  const marked = await markedPlace(records);
  if (marked === undefined) return undefined;
  const actual = await placeOf(folder);
  return actual === undefined || isSame(marked, actual) ? undefined : { marked, actual };
}

/** The message for a person if a store is a copy; undefined otherwise. */
export async function describeCopy(records: Records, folder: string): Promise<string | undefined> {
  const moved = await movedPlace(records, folder);
  if (moved === undefined) return undefined;
  const { folder: original, host, at } = moved.marked;
  return (
    `The store in ${folder} is a copy: its store.json is not the file that was marked on ${at} ` +
    `in ${original} on ${host}. Two copies are two ledgers, and each pays for what the other has sent. ` +
    'If the original still exists, work there. If the store was moved here and the original is gone, type: ' +
    'dailies store --moved. If this is to be a store of its own, type: dailies store --adopt-copy'
  );
}

/**
 * The current place of a store; undefined if there is no store, if its file cannot be read, or if the system has no
 * lasting inodes. Only Linux counts as having them.
 */
export async function placeOf(folder: string): Promise<Place | undefined> {
  const file = join(folder, 'store.json');
  try {
    // Linux reports the type as a 32-bit number, which older kernels sign-extend.
    const type = (await statfs(file)).type >>> 0;
    if (process.platform !== 'linux' || !LASTING_INODES.has(type)) return undefined;
    const { ino } = await stat(file, { bigint: true });
    if (ino === 0n) return undefined;
    const born = type === OVERLAY ? undefined : await birthOf(file);
    return {
      inode: String(ino),
      born: born === undefined ? null : String(born),
      folder,
      host: hostname(),
      at: new Date().toISOString(),
    };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Birth time of a file; undefined if it cannot be determined.
 *
 * A system without birth times reports zero or the change time. If birth and change time are equal, the function
 * updates the change time: if the birth time changes too, it is not real.
 */
async function birthOf(file: string): Promise<bigint | undefined> {
  const seen = await stat(file, { bigint: true });
  if (seen.birthtimeNs <= 0n) return undefined;
  if (seen.birthtimeNs !== seen.ctimeNs) return seen.birthtimeNs;
  await delay(PAST_A_TICK_MS);
  try {
    await utimes(file, seen.atime, seen.mtime);
  } catch {
    // The change time cannot be set, for example because the file belongs to another user.
    return undefined;
  }
  const { birthtimeNs, ctimeNs } = await stat(file, { bigint: true });
  return birthtimeNs === ctimeNs ? undefined : birthtimeNs;
}

function isSame(marked: Place, found: Place): boolean {
  if (marked.inode !== found.inode) return false;
  if (marked.born === null || found.born === null) return true;
  const apart = BigInt(marked.born) - BigInt(found.born);
  return apart <= BIRTH_TOLERANCE_NS && -apart <= BIRTH_TOLERANCE_NS;
}
