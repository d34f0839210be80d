import { type Injection } from '../sandbox/faults/injection';
import { pick, type Random, seededRandom } from '../sandbox/random';
import { STORE_POINTS, type FailOrder, type StorePoint } from './fail-points';
import { gatewayFaults } from './gateway-faults';
import { WIRE_POINTS, type WirePoint } from './wire';

/** What strikes, and whom. `post` counts the places at which a worker is kept running, from 0. */
export type Fault =
  | { readonly kind: 'worker-kill' | 'worker-term'; readonly post: number }
  | { readonly kind: 'temporal-kill' }
  | { readonly kind: 'fail-point'; readonly post: number; readonly order: FailOrder }
  | { readonly kind: 'wire-point'; readonly post: number; readonly point: WirePoint }
  | { readonly kind: 'gateway'; readonly injection: Injection }
  | { readonly kind: 'clock-step'; readonly post: number; readonly byMs: number }
  /** All workers are killed, the records of the store are lost, and the last backup is restored. */
  | { readonly kind: 'ledger-loss' }
  /** `seed` draws which, and where. */
  | { readonly kind: 'foreign-files'; readonly seed: number }
  /** The store is copied, and a worker is started on the copy. */
  | { readonly kind: 'store-copy' };

export interface ScheduledFault {
  /** From the beginning of the drill. */
  readonly atMs: number;
  readonly fault: Fault;
}

/** A fault every so often: each post then loses its worker about every 10 s, and work has to go on in between. */
const FAULT_EVERY_MS = 1_750;

/** A point strikes the first to the third time that it is reached, so that retries and later takes are struck too. */
const LATEST_COUNT = 3;

/** How far a clock is moved at once, either way. More would hold a sending without an end up for too long. */
const CLOCK_STEPS_MS = [3_000, 15_000, 60_000] as const;

/**
 * Draws the faults of a drill: the same seed draws the same ones.
 *
 * They come from a shuffled deck that is begun anew when it is used up, so that every kind has its turn.
 */
export function planFaults(seed: number, minutes: number, posts: number): readonly ScheduledFault[] {
  const random = seededRandom('faults', seed);
  const count = Math.floor((minutes * 60_000) / FAULT_EVERY_MS);
  const drawn: Fault[] = [];
  while (drawn.length < count) drawn.push(...shuffled(deck(random, posts), random));
  return drawn.slice(0, count).map((fault, index) => ({
    atMs: Math.round((index + random()) * FAULT_EVERY_MS),
    fault,
  }));
}

function deck(random: Random, posts: number): readonly Fault[] {
  const post = (): number => Math.floor(random() * posts);
  const order = (point: StorePoint, action: FailOrder['action']): Fault => {
    const count = 1 + Math.floor(random() * LATEST_COUNT);
    return { kind: 'fail-point', post: post(), order: { point, count, action } };
  };
  return [
    ...Array.from({ length: 6 }, () => ({ kind: 'worker-kill', post: post() }) as const),
    ...Array.from({ length: 2 }, () => ({ kind: 'worker-term', post: post() }) as const),
    { kind: 'temporal-kill' },
    ...STORE_POINTS.map((point) => order(point, 'kill')),
    // Not after it got the right to send: what a sender does that wakes up late is paid for, and only a person can know.
    order(pick(random, 'intent-durable', 'before-sent'), 'stop'),
    ...WIRE_POINTS.map((point) => ({ kind: 'wire-point', post: post(), point }) as const),
    ...CLOCK_STEPS_MS.map((ms) => ({ kind: 'clock-step', post: post(), byMs: pick(random, ms, -ms) }) as const),
    { kind: 'ledger-loss' },
    ...Array.from({ length: 3 }, () => ({ kind: 'foreign-files', seed: random() }) as const),
    { kind: 'store-copy' },
    ...gatewayFaults(random).map((injection) => ({ kind: 'gateway', injection }) as const),
  ];
}

/** Fisher and Yates. */
function shuffled<T>(cards: readonly T[], random: Random): readonly T[] {
  const left = [...cards];
  return cards.map(() => left.splice(Math.floor(random() * left.length), 1)).flat();
}
