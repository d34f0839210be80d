import { z } from 'zod';
import { type Records } from './records';
import { hashOf } from './take-key';

/** Tasks of a model that are remembered: enough for a tenth and a ninetieth percentile, few enough to follow change. */
const REMEMBERED = 50;

/** Below this many nothing is claimed about a model. */
const ENOUGH = 3;

const Times = z.array(z.number().nonnegative());

/** How long tasks of a model usually take, in milliseconds from acceptance. */
export interface UsualTime {
  readonly quickMs: number;
  readonly medianMs: number;
  readonly slowMs: number;
}

/** How long tasks of each model took lately at this account; learned by the worker, kept in the store. */
export interface UsualTimes {
  of(model: string): Promise<UsualTime | undefined>;
  note(model: string, tookMs: number): Promise<void>;
}

/** Other workers learn too. */
const FRESH_MS = 10_000;

/** Losing what was learned costs a few reads, so a record that cannot be read or written is let go. */
export function createUsualTimes(records: Records, account: string): UsualTimes {
  const known = new Map<string, { readonly times: Promise<number[]>; readonly untilMs: number }>();
  const keyOf = (model: string): string => `usual-times/${hashOf([account, model]).slice(0, 16)}`;

  function read(model: string): Promise<number[]> {
    const times = records
      .read(keyOf(model))
      .then((stored) => Times.parse(stored ?? []))
      .catch(() => []);
    known.set(model, { times, untilMs: Date.now() + FRESH_MS });
    return times;
  }
  function times(model: string): Promise<number[]> {
    const loaded = known.get(model);
    return loaded !== undefined && Date.now() < loaded.untilMs ? loaded.times : read(model);
  }

  return {
    async of(model) {
      const sorted = (await times(model)).toSorted((a, b) => a - b);
      const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
      return sorted.length < ENOUGH ? undefined : { quickMs: at(0.1), medianMs: at(0.5), slowMs: at(0.9) };
    },
    async note(model, tookMs) {
      const list = await times(model);
      list.push(tookMs);
      list.splice(0, list.length - REMEMBERED);
      await records.replace(keyOf(model), list).catch(() => undefined);
    },
  };
}
