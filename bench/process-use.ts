import { readFile } from 'node:fs/promises';

/** Linux counts a process's CPU time in hundredths of a second. */
const TICKS_A_SECOND = 100;

/** User and system time of a process and all of its threads. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}
