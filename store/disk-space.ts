import { statfs } from 'node:fs/promises';

/**
 * Free space below which nothing is paid for: room for the clips that are under way at once (16 of up to 30 s at
 * 1080p), their frames and a film of them. A paid clip that cannot be stored stays at the gateway, but not forever.
 */
const DISK_FLOOR_BYTES = 1024 ** 3;

export interface DiskSpace {
  readonly freeBytes: number;
  readonly neededBytes: number;
  readonly isEnough: boolean;
}

/** Tells whether the file system of a folder has room for what is about to be paid for. */
export async function diskSpace(folder: string, neededBytes = DISK_FLOOR_BYTES): Promise<DiskSpace> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  return { freeBytes, neededBytes, isEnough: freeBytes >= neededBytes };
}

/** The message for a person if the space is not enough. */
export function diskSpaceInWords(folder: string, { freeBytes, neededBytes }: DiskSpace): string {
  return (
    `${folder} has ${freeBytes} bytes free, and ${neededBytes} are needed before anything more is paid for; ` +
    'free disk space, and it goes on by itself'
  );
}
