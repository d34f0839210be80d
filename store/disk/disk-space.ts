import { statfs } from 'node:fs/promises';

/**
 * Free space that is needed before another task is paid for: room for 16 concurrent clips of up to 30 s at 1080p, their
 * frames, and a film of them. A paid clip that cannot be stored may be lost: the gateway keeps clips for a limited
 * time only.
 */
const DISK_FLOOR_BYTES = 1024 ** 3;

export interface DiskSpace {
  readonly freeBytes: number;
  readonly neededBytes: number;
  readonly isEnough: boolean;
}

/** Compares the free space of a folder's file system with the needed space. */
export async function diskSpace(folder: string, neededBytes = DISK_FLOOR_BYTES): Promise<DiskSpace> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  return { freeBytes, neededBytes, isEnough: freeBytes >= neededBytes };
}

/** The message for a person if there is not enough space. */
export function diskSpaceInWords(folder: string, { freeBytes, neededBytes }: DiskSpace): string {
  return (
    `${folder} has ${freeBytes} bytes free, and ${neededBytes} are needed before anything more is paid for; ` +
    'free disk space; the work then continues by itself'
  );
}
