import { readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_A_SECOND = 100;

/** User and system time of a process and its threads, in seconds. @throws Error (ENOENT) when the process has ended. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/**
 * Resident memory of a process, in MiB.
 *
 * Shared memory counts proportionally for each process (`Pss`), so that the processes of one database add up to their
 * real total. If `smaps_rollup` cannot be read, the result is `VmRSS`, which counts shared memory in full.
 *
 * @throws Error (ENOENT) when the process has ended.
 * Source: proc(5).
 */
export async function residentMegabytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const share = kilobytes(rollup, 'Pss');
  return (share ?? kilobytes(await readFile(`/proc/${pid}/status`, 'utf8'), 'VmRSS') ?? 0) / 1_024;
}

function kilobytes(lines: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(lines)?.[1];
  return found === undefined ? undefined : Number(found);
}

export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

/** Resident memory, with shared memory in full, in MiB: now, and the peak since the start. Source: proc(5). */
export async function wholeMegabytes(pid: number): Promise<{ readonly now: number; readonly most: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return { now: (kilobytes(status, 'VmRSS') ?? NaN) / 1_024, most: (kilobytes(status, 'VmHWM') ?? NaN) / 1_024 };
}
