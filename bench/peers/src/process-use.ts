import { cpuSeconds, residentMegabytes, secondsSince } from '../../../dist/bench/process-use';

const LOOK_EVERY_MS = 200;

/** What a group of processes has used over some time. */
export interface Use {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The most that they held at once. */
  readonly peakMegabytes: number;
}

/** Watches processes that come and go, by Linux's /proc. */
export interface UseWatch {
  /** Begins to measure; what is read later is of the time since. */
  openMeter(): Promise<Meter>;
  stop(): void;
}

export interface Meter {
  /** Of processes that have ended it lacks what came after the last look at them. */
  read(): Promise<Use>;
}

/** @param pids those that run now; each is watched from when it is first seen, with all that it had used before. */
export function watchUse(pids: () => Promise<readonly number[]>): UseWatch {
  const cpu = new Map<number, number>();
  const peaks: { megabytes: number }[] = [];

  async function look(): Promise<number> {
    let megabytes = 0;
    for (const pid of await pids()) {
      try {
        cpu.set(pid, await cpuSeconds(pid));
        megabytes += await residentMegabytes(pid);
      } catch {
        // It has ended meanwhile.
      }
    }
    for (const peak of peaks) peak.megabytes = Math.max(peak.megabytes, megabytes);
    return [...cpu.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  const timer = setInterval(() => {
    look().catch(() => undefined);
  }, LOOK_EVERY_MS);
  return {
    async openMeter() {
      const peak = { megabytes: 0 };
      peaks.push(peak);
      const before = await look();
      const openedAt = performance.now();
      return {
        async read() {
          const cpuSeconds = (await look()) - before;
          return { seconds: secondsSince(openedAt), cpuSeconds, peakMegabytes: peak.megabytes };
        },
      };
    },
    stop() {
      clearInterval(timer);
    },
  };
}
