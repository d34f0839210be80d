import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, systemCall } from './durable-file';

/** True if the system denies this user access. EPERM from link(2) does not count, since it may have other causes. */
export function deniesAccess(error: unknown): boolean {
  const syscall = systemCall(error);
  const code = errorCode(error);
  return code === 'EACCES' || (code === 'EPERM' && syscall !== undefined && syscall !== 'link');
}

/** Describes owner, group and mode of a path, or of the nearest visible folder above it, and how to grant access. */
export async function accessInWords(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return dirname(path) === path ? HOW_TO_SHARE : accessInWords(dirname(path));
  const mode = (found.mode & 0o7777).toString(8).padStart(4, '0');
  const [owner, group] = await Promise.all([nameOf('/etc/passwd', found.uid), nameOf('/etc/group', found.gid)]);
  return `${path} belongs to ${owner}, group ${group}, mode ${mode}, and this process runs as ${await ownName()}; ${HOW_TO_SHARE}`;
}

const HOW_TO_SHARE =
  'give both users one group that may write: `chgrp -R GROUP` and `chmod -R g+rwX` on the folder of the store, ' +
  '`chmod g+s` on all folders in it, and `umask 002` for every user who writes';

/** Name and id of this process's user. `userInfo` would throw if the user has no name, as in many containers. */
async function ownName(): Promise<string> {
  const uid = process.geteuid?.();
  return uid === undefined ? 'another user' : nameOf('/etc/passwd', uid);
}

/** Name and id of a user or group, from /etc/passwd or /etc/group. Only the id if the name is missing. */
async function nameOf(file: string, id: number): Promise<string> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  const name = lines.find(([, , number]) => number === String(id))?.[0];
  return name === undefined ? String(id) : `${name} (${id})`;
}
