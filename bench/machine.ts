import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { cpus, release, tmpdir, totalmem, type } from 'node:os';
import { promisify } from 'node:util';
import { findFfmpeg } from '../media';
import { findTemporalCli } from '../workers/temporal-cli';

/** The machine that produced the figures. Times of different machines cannot be compared. */
export interface Machine {
  readonly node: string;
  readonly cores: number;
  readonly processor: string;
  /** RAM, in GiB. */
  readonly memoryGigabytes: number;
  readonly kernel: string;
  /** File system type of the temporary folder, such as `ext4`; null if unknown. */
  readonly fileSystem: string | null;
  /** Version of ffmpeg; null if there is none. */
  readonly ffmpeg: string | null;
  /** Version of the Temporal CLI, which includes the server; null if there is none. */
  readonly temporal: string | null;
}

const IN_MEMORY = ['tmpfs', 'ramfs'];

export async function machine(): Promise<Machine> {
  const [fileSystem, ffmpeg, temporal] = await Promise.all([
    readFile('/proc/self/mountinfo', 'utf8').then(
      async (mounts) => fileSystemOf(await realpath(tmpdir()), mounts),
      () => null,
    ),
    findFfmpeg().then(
      ({ version }) => version,
      () => null,
    ),
    temporalVersion().catch(() => null),
  ]);
  return {
    node: process.version,
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGigabytes: Number((totalmem() / 1024 ** 3).toFixed(1)),
    kernel: `${type()} ${release()}`,
    fileSystem,
    ffmpeg,
    temporal,
  };
}

/** One line, and a second line if temporary files are in memory. */
export function machineInWords(found: Machine): readonly string[] {
  const { node, cores, processor, memoryGigabytes, kernel, fileSystem, ffmpeg, temporal } = found;
  const words = [
    `Node ${node}`,
    `${cores} cores (${processor})`,
    `${memoryGigabytes} GiB`,
    kernel,
    `temporary files on ${fileSystem ?? 'an unknown file system'}`,
    ffmpeg === null ? 'no ffmpeg' : `ffmpeg ${ffmpeg}`,
    temporal === null ? 'no Temporal CLI' : `Temporal ${temporal}`,
  ];
  return [words.join(', '), ...(fileSystem !== null && IN_MEMORY.includes(fileSystem) ? [FLUSHES_NOTHING] : [])];
}

const FLUSHES_NOTHING = 'Temporary files are in memory, where flushing takes no time; on a disk, flushing takes time.';

/**
 * Finds the type of the file system that holds a path; null if no mount holds the path.
 *
 * @param path absolute, without symbolic links.
 * @param mounts text of mountinfo; a later line hides an earlier line of the same mount point.
 * Source: proc(5).
 */
export function fileSystemOf(path: string, mounts: string): string | null {
  let found: { readonly place: string; readonly type: string } | undefined;
  for (const line of mounts.split('\n')) {
    const [mount = '', source = ''] = line.split(' - ');
    const place = mount.split(' ')[4]?.replace(/\/$/, '');
    const [type] = source.split(' ');
    if (place === undefined || type === undefined || !(path === place || path.startsWith(`${place}/`))) continue;
    if (place.length >= (found?.place.length ?? 0)) found = { place, type };
  }
  return found?.type ?? null;
}

async function temporalVersion(): Promise<string | null> {
  const cli = findTemporalCli(process.env);
  if (cli === undefined) return null;
  const { stdout } = await promisify(execFile)(cli.path, ['--version']);
  return stdout.trim().replace(/^temporal version /, '');
}
