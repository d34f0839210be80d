import { z } from 'zod';
import { type Records } from './records';
import { hashOf } from './take-key';

/** Number of remembered tasks per model: enough to show the spread of their times, few enough to follow change. */
const REMEMBERED = 50;

/** Fewest tasks from which times are derived. */
const ENOUGH = 3;

/**
 * For each task the age when it was seen to have ended, preceded by the age when it was last seen pending, if known.
 */
const Times = z.array(
  z.union([z.number().nonnegative(), z.tuple([z.number().nonnegative(), z.number().nonnegative()])]),
);
type Times = z.infer<typeof Times>;

/** When the end of a task was seen, in milliseconds from acceptance. */
export interface EndSeen {
  /** When it was last seen pending; 0 if it was not read before, undefined if unknown. */
  readonly afterMs: number | undefined;
  /** When it was seen to have ended. */
  readonly byMs: number;
}

/** How long tasks of a model usually take, in milliseconds from acceptance to the read that saw the end. */
export interface UsualTime {
  readonly quickMs: number;
  readonly medianMs: number;
  readonly slowMs: number;
  /** The tasks that this is derived from, newest last. */
  readonly seen: readonly EndSeen[];
}

/** How long tasks of each model took lately in this account. Workers learn it; the store keeps it. */
export interface UsualTimes {
  /** Returns the same object until more is known. */
  of(model: string): Promise<UsualTime | undefined>;
  /** @param afterMs - as `EndSeen.afterMs`. */
  note(model: string, tookMs: number, afterMs?: number): Promise<void>;
}

/** Time until the record is read again, because other workers add to it. */
const FRESH_MS = 10_000;

/** Ignores records that cannot be read or written: losing them costs a few reads of tasks. */
export function createUsualTimes(records: Records, account: string): UsualTimes {
  const known = new Map<string, { readonly times: Promise<Times>; readonly untilMs: number }>();
  const usual = new WeakMap<Times, UsualTime>();
  const keyOf = (model: string): string => `usual-times/${hashOf([account, model]).slice(0, 16)}`;

  function read(model: string): Promise<Times> {
    const times = records
      .read(keyOf(model))
      .then((stored) => Times.parse(stored ?? []))
      .catch(() => []);
    known.set(model, { times, untilMs: Date.now() + FRESH_MS });
    return times;
  }
  function times(model: string): Promise<Times> {
    const loaded = known.get(model);
    return loaded !== undefined && Date.now() < loaded.untilMs ? loaded.times : read(model);
  }

  return {
    async of(model) {
      const list = await times(model);
      if (list.length < ENOUGH) return undefined;
      const found = usual.get(list) ?? usualOf(list);
      usual.set(list, found);
      return found;
    },
    async note(model, tookMs, afterMs) {
      const list = await times(model);
      list.push(afterMs === undefined ? tookMs : [Math.min(afterMs, tookMs), tookMs]);
      list.splice(0, list.length - REMEMBERED);
      usual.delete(list);
      await records.replace(keyOf(model), list).catch(() => undefined);
    },
  };
}

function usualOf(times: Times): UsualTime {
  const seen = times.map((time) =>
    typeof time === 'number' ? { afterMs: undefined, byMs: time } : { afterMs: time[0], byMs: time[1] },
  );
  const sorted = seen.map(({ byMs }) => byMs).toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { quickMs: at(0.1), medianMs: at(0.5), slowMs: at(0.9), seen };
}
