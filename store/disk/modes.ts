import { chmod, stat } from 'node:fs/promises';
import { basename } from 'node:path';

/** Modes of new files and folders. The umask may remove permissions from them. */
export interface Modes {
  readonly file: number;
  readonly folder: number;
}

/**
 * For the owner alone, since a store holds prompts, pictures and the addresses of notices, which may contain secrets.
 */
export const PRIVATE: Modes = { file: 0o600, folder: 0o700 };

const GROUP = 0o070;
const GROUP_WRITES = 0o020;
const OTHERS = 0o007;
const OTHERS_WRITE = 0o002;

/** The folder that Dailies makes for a store by default. */
const OWN_FOLDER = '.dailies';

/**
 * Modes of new files and folders below a store's root.
 *
 * Everything below the root has the same permissions for the group as the root. The same holds for other users if they
 * may write to the root, since a container may run as one of them. Otherwise they get no permissions.
 *
 * A root that everybody may read and only its owner may write to counts as not shared, since a umask of 022 leaves that
 * mode. Then neither the group nor other users get any permissions.
 */
export async function modesBelow(root: string): Promise<Modes> {
  const mode = await modeOf(root);
  if (mode === undefined || !isShared(mode)) return PRIVATE;
  const shared = mode & ((mode & OTHERS_WRITE) === 0 ? GROUP : GROUP | OTHERS);
  return { file: PRIVATE.file | (shared & 0o066), folder: PRIVATE.folder | shared };
}

/**
 * Removes other users' access to a `.dailies` folder that an earlier version created with the umask's mode. Also
 * removes the group's access, unless the folder is shared with the group.
 */
export async function removeOthersAccess(root: string): Promise<void> {
  const found = await stat(root).catch(() => undefined);
  if (found === undefined || basename(root) !== OWN_FOLDER || found.uid !== process.geteuid?.()) return;
  if ((found.mode & OTHERS) === 0 || (found.mode & OTHERS_WRITE) !== 0) return;
  const closed = found.mode & 0o7777 & ~(isShared(found.mode) ? OTHERS : OTHERS | GROUP);
  await setMode(root, closed);
}

/** Changes a mode. Ignores errors, for example on a file system without modes or for another user's file. */
export async function setMode(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch(() => undefined);
}

/** True if users other than the owner and the group have any access to the folder. */
export async function isOpenToOthers(folder: string): Promise<boolean> {
  return ((await modeOf(folder)) ?? 0) % 0o10 !== 0;
}

/** True if the owner has chosen to share the folder with the group or with others. */
function isShared(mode: number): boolean {
  return (mode & (GROUP_WRITES | OTHERS_WRITE)) !== 0 || ((mode & GROUP) !== 0 && (mode & OTHERS) === 0);
}

async function modeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mode;
}
