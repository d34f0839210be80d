import { z } from 'zod';
import { isDamaged, type Records } from '../records';
import { hashOf } from '../ledger/take-key';

/** Number of remembered tasks per model: enough to show the spread of their times, few enough to follow a change. */
const REMEMBERED = 50;

/** Minimum number of tasks from which times are derived. */
const ENOUGH = 3;

/**
 * Maximum time from `EndSeen.afterMs` to `byMs`. If more time passed, the times say nothing about the model. Records of
 * older versions may contain such times.
 */
const LONGEST_UNREAD_MS = 15 * 60_000;

/**
 * One entry per task, in milliseconds from acceptance: `EndSeen.byMs`, or the pair of `EndSeen.afterMs` and `byMs` if
 * `afterMs` is known.
 */
const Times = z.array(
  z.union([z.number().nonnegative(), z.tuple([z.number().nonnegative(), z.number().nonnegative()])]),
);
type Times = z.infer<typeof Times>;
type Time = Times[number];

/**
 * The interval in which a task ended, in milliseconds from acceptance. If the task was executed (by one call that waits
 * for the result), in milliseconds from the request.
 */
export interface EndSeen {
  /** When the task was last seen pending; 0 if the first read saw the end, undefined if unknown. */
  readonly afterMs: number | undefined;
  /** When the end was first seen. If an execute call timed out: its time limit. */
  readonly byMs: number;
}

/**
 * The 10th, 50th and 90th percentile of `EndSeen.byMs` of a model's recent tasks, by nearest rank. With fewer than ten
 * tasks, the 90th percentile is the slowest task's time.
 */
export interface UsualTime {
  readonly quickMs: number;
  readonly medianMs: number;
  readonly slowMs: number;
  /** The tasks behind these times, newest last. */
  readonly seen: readonly EndSeen[];
}

/** The recent times of each model's tasks in an account. */
export interface UsualTimes {
  /** Undefined if too few tasks are recorded. The same object until the times change or are read again. */
  forModel(model: string): Promise<UsualTime | undefined>;
  /**
   * Records a task's times. Ignores them if more than 15 minutes lie between `afterMs` and `tookMs`.
   *
   * @param tookMs as `EndSeen.byMs`.
   * @param afterMs as `EndSeen.afterMs`.
   */
  note(model: string, tookMs: number, afterMs?: number): Promise<void>;
}

/** The record is read again after this time, because other workers add to it. */
const FRESH_MS = 10_000;

/**
 * Ignores errors of reads and writes. Without these records, tasks are polled less efficiently, tasks are submitted
 * instead of executed unless their model is declared quick, and expected ends and `readyBy` lack the models' times.
 */
export function createUsualTimes(records: Records, account: string): UsualTimes {
  const cache = new Map<string, { readonly times: Promise<Times>; readonly untilMs: number }>();
  const usualByTimes = new WeakMap<Times, UsualTime>();
  /** Empty lists in place of records that could not be read. They must not replace the records. */
  const unread = new WeakSet<Times>();
  const keyOf = (model: string): string => `usual-times/${hashOf([account, model]).slice(0, 16)}`;

  function read(model: string): Promise<Times> {
    const times = records.read(keyOf(model)).then(
      (stored) =>
        Times.catch([])
          .parse(stored ?? [])
          .filter(isOfModel),
      (error: unknown) => {
        const none: Times = [];
        // A damaged record may be replaced. After another error, the next call may succeed.
        if (!isDamaged(error)) {
          unread.add(none);
          cache.delete(model);
        }
        return none;
      },
    );
    cache.set(model, { times, untilMs: Date.now() + FRESH_MS });
    return times;
  }
  function times(model: string): Promise<Times> {
    const loaded = cache.get(model);
    return loaded !== undefined && Date.now() < loaded.untilMs ? loaded.times : read(model);
  }

  return {
    async forModel(model) {
      const list = await times(model);
      if (list.length < ENOUGH) return undefined;
      const usual = usualByTimes.get(list) ?? usualOf(list);
      usualByTimes.set(list, usual);
      return usual;
    },
    async note(model, tookMs, afterMs) {
      const time: Time = afterMs === undefined ? tookMs : [Math.min(afterMs, tookMs), tookMs];
      if (!isOfModel(time)) return;
      const list = await times(model);
      list.push(time);
      list.splice(0, list.length - REMEMBERED);
      usualByTimes.delete(list);
      if (!unread.has(list)) await records.replace(keyOf(model), list).catch(() => undefined);
    },
  };
}

function isOfModel(time: Time): boolean {
  return typeof time === 'number' || time[1] - time[0] <= LONGEST_UNREAD_MS;
}

function usualOf(times: Times): UsualTime {
  const seen = times.map((time) =>
    typeof time === 'number' ? { afterMs: undefined, byMs: time } : { afterMs: time[0], byMs: time[1] },
  );
  const sorted = seen.map(({ byMs }) => byMs).toSorted((a, b) => a - b);
  const at = (percent: number): number => sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
  return { quickMs: at(10), medianMs: at(50), slowMs: at(90), seen };
}
