import { cpuSeconds, residentMegabytes, secondsSince } from '../../../dist/bench/process-use';

const LOOK_EVERY_MS = 200;

/** What a group of processes has used in some time. */
export interface Use {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Highest memory of all processes together. */
  readonly peakMegabytes: number;
}

/** Watches processes that come and go, in Linux's /proc. */
export interface UseWatch {
  /** Starts a measurement. A later read covers the time since. */
  openMeter(): Promise<Meter>;
  stop(): void;
}

export interface Meter {
  /** Lacks what ended processes used after they were last sampled. */
  read(): Promise<Use>;
}

/** @param pids the processes that run now. Each is watched from its first sample, including what it used before. */
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
