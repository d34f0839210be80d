import { cpuSeconds, residentMegabytes, secondsSince } from '../../../dist/bench/process-use';

const LOOK_EVERY_MS = 200;

/** Time, CPU and memory that a group of processes has used. */
export interface Use {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Highest memory of all processes together. */
  readonly peakMegabytes: number;
}

/** Samples processes in Linux's /proc. A process that starts and ends between two samples is not counted. */
export interface UseWatch {
  /** Starts a measurement. */
  openMeter(): Promise<Meter>;
  stop(): void;
}

export interface Meter {
  /** Returns the use since the meter opened. Lacks the CPU time that ended processes used after their last sample. */
  read(): Promise<Use>;
}

/**
 * Starts to watch processes.
 *
 * @param pids returns the ids of the processes at each sample. A process that is first sampled after a meter opened
 *   adds all its CPU time to that meter.
 */
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
        // The process has ended.
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
