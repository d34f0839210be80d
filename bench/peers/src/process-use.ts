import { readFile } from 'node:fs/promises';

/** Linux counts a process's CPU time in hundredths of a second. */
const TICKS_A_SECOND = 100;

const LOOK_EVERY_MS = 200;

/** What a group of processes has used so far. */
export interface Use {
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

/** Watches processes that come and go, by Linux's /proc. */
export interface UseWatch {
  now(): Promise<Use>;
  stop(): void;
}

/** @param pids those that run now; each is watched from when it is first seen, with all that it had used before. */
export function watchUse(pids: () => Promise<readonly number[]>): UseWatch {
  const cpu = new Map<number, number>();
  let peakMegabytes = 0;

  async function look(): Promise<void> {
    let megabytes = 0;
    for (const pid of await pids()) {
      const seen = await usedBy(pid);
      if (seen === undefined) continue;
      cpu.set(pid, seen.cpuSeconds);
      megabytes += seen.megabytes;
    }
    peakMegabytes = Math.max(peakMegabytes, megabytes);
  }

  const timer = setInterval(() => {
    look().catch(() => undefined);
  }, LOOK_EVERY_MS);
  return {
    async now() {
      await look();
      return { cpuSeconds: [...cpu.values()].reduce((sum, seconds) => sum + seconds, 0), peakMegabytes };
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** User and system time with all threads, and memory that is its own; undefined once it has ended. */
async function usedBy(pid: number): Promise<{ cpuSeconds: number; megabytes: number } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    // Shared memory would count once for every process of a database that maps it.
    const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
      megabytes: (kilobytes('RssAnon') + kilobytes('RssFile')) / 1_024,
    };
  } catch {
    return undefined;
  }
}
