import { type Injection } from '../sandbox/faults/injection';
import { pick, type Random, seededRandom } from '../sandbox/random';
import { STORE_POINTS, type FailOrder, type StorePoint } from './fail-points';
import { gatewayFaults } from './gateway-faults';
import { WIRE_POINTS, type WirePoint } from './wire';

/** A fault and its target. `slot` is the index, from 0, of a worker slot. */
export type Fault =
  | { readonly kind: 'worker-kill' | 'worker-term'; readonly slot: number }
  | { readonly kind: 'temporal-kill' }
  | { readonly kind: 'fail-point'; readonly slot: number; readonly order: FailOrder }
  | { readonly kind: 'wire-point'; readonly slot: number; readonly point: WirePoint }
  | { readonly kind: 'gateway'; readonly injection: Injection }
  | { readonly kind: 'clock-step'; readonly slot: number; readonly byMs: number }
  /** All workers are killed, the store's records are deleted, and the last backup is restored. */
  | { readonly kind: 'ledger-loss' }
  /** Files that Dailies did not write are put into the store. `seed` determines the files and their folders. */
  | { readonly kind: 'foreign-files'; readonly seed: number }
  /** The store is copied, and a worker is started on the copy. */
  | { readonly kind: 'store-copy' };

export interface ScheduledFault {
  /** From the start of the drill. */
  readonly atMs: number;
  readonly fault: Fault;
}

/** Average time between faults. Each of two slots loses its worker about every 10 s, which leaves time for work. */
const FAULT_EVERY_MS = 1_750;

/**
 * A fail point causes its fault when the worker reaches it for the first, second or third time, so that faults also
 * hit retries and later takes.
 */
const LATEST_COUNT = 3;

/**
 * Sizes of clock steps, in either direction. After a crash, a worker waits for the time limit of a sending
 * before it takes the sending as unclear. A larger step could delay that too long.
 */
const CLOCK_STEPS_MS = [3_000, 15_000, 60_000] as const;

/**
 * Draws the faults of a drill. The same seed draws the same faults.
 *
 * Faults come from a shuffled deck. A new deck replaces a used-up deck, so every kind gets its turn.
 */
export function planFaults(seed: number, minutes: number, slots: number): readonly ScheduledFault[] {
  const random = seededRandom('faults', seed);
  const count = Math.floor((minutes * 60_000) / FAULT_EVERY_MS);
  const drawn: Fault[] = [];
  while (drawn.length < count) drawn.push(...shuffled(deck(random, slots), random));
  return drawn.slice(0, count).map((fault, index) => ({
    atMs: Math.round((index + random()) * FAULT_EVERY_MS),
    fault,
  }));
}

function deck(random: Random, slots: number): readonly Fault[] {
  const slot = (): number => Math.floor(random() * slots);
  const order = (point: StorePoint, action: FailOrder['action']): Fault => {
    const count = 1 + Math.floor(random() * LATEST_COUNT);
    return { kind: 'fail-point', slot: slot(), order: { point, count, action } };
  };
  return [
    ...Array.from({ length: 6 }, () => ({ kind: 'worker-kill', slot: slot() }) as const),
    ...Array.from({ length: 2 }, () => ({ kind: 'worker-term', slot: slot() }) as const),
    { kind: 'temporal-kill' },
    ...STORE_POINTS.map((point) => order(point, 'kill')),
    // Never pause (SIGSTOP) a worker that has the right to send. If it sent after resuming, the task would be paid for,
    // and only a person could find it.
    order(pick(random, 'intent-durable', 'before-limits', 'before-sent'), 'stop'),
    ...WIRE_POINTS.map((point) => ({ kind: 'wire-point', slot: slot(), point }) as const),
    ...CLOCK_STEPS_MS.map((ms) => ({ kind: 'clock-step', slot: slot(), byMs: pick(random, ms, -ms) }) as const),
    { kind: 'ledger-loss' },
    ...Array.from({ length: 3 }, () => ({ kind: 'foreign-files', seed: random() }) as const),
    { kind: 'store-copy' },
    ...gatewayFaults(random).map((injection) => ({ kind: 'gateway', injection }) as const),
  ];
}

/** Fisher-Yates shuffle. */
function shuffled<T>(cards: readonly T[], random: Random): readonly T[] {
  const remaining = [...cards];
  return cards.map(() => remaining.splice(Math.floor(random() * remaining.length), 1)).flat();
}
