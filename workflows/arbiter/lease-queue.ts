import { type LeaseAsk, PRIORITIES, type Priority } from '../../contracts/arbiter';
import { attemptKey } from '../take/attempt-key';

/**
 * Who waits for a lease, and in which order: urgent ones first, and within a priority the productions in turn. Pure, so
 * that it is tested without a server.
 */

/** A take that waits for its turn. */
export interface Waiting extends Omit<LeaseAsk, 'still' | 'force' | 'refused' | 'throttled'> {
  readonly sinceMs: number;
}

export interface QueueState {
  readonly waiting: readonly Waiting[];
  /** How often each group had its turn, counted from where those began who wait longest. */
  readonly turns: readonly (readonly [group: string, turn: number])[];
  readonly clock: number;
}

export class LeaseQueue {
  /** In the order of asking. */
  readonly #waiting: Map<string, Waiting>;
  readonly #turns: Map<string, number>;
  #clock: number;

  constructor({ waiting, turns, clock }: QueueState = { waiting: [], turns: [], clock: 0 }) {
    this.#waiting = new Map(waiting.map((one) => [attemptKey(one), one]));
    this.#turns = new Map(turns);
    this.#clock = clock;
  }

  /** @param most kept of it, the first in line; the others ask again by themselves. */
  state(nowMs: number, most: number): QueueState {
    const kept = new Set(this.inOrder(nowMs).slice(0, most));
    return {
      waiting: [...this.#waiting.values()].filter((one) => kept.has(one)),
      turns: [...this.#turns],
      clock: this.#clock,
    };
  }

  all(): Iterable<Waiting> {
    return this.#waiting.values();
  }

  size(): number {
    return this.#waiting.size;
  }

  /** Keeps its place where it waits already, by what is asked now. */
  add(one: Waiting): void {
    const known = this.#waiting.get(attemptKey(one));
    this.#waiting.set(attemptKey(one), known === undefined ? one : { ...one, sinceMs: known.sinceMs });
  }

  remove(key: Pick<Waiting, 'takeKey' | 'sending'>): void {
    this.#waiting.delete(attemptKey(key));
  }

  /** Takes it out of the queue, as it has its turn. */
  take(one: Waiting): void {
    this.remove(one);
    const turn = this.#turnOf(one.group);
    this.#clock = Math.max(this.#clock, turn);
    this.#turns.set(one.group, turn + 1);
    // Who had no more turns than the others, and waits no more, begins like a new one.
    for (const [group, had] of this.#turns) if (had <= this.#clock) this.#turns.delete(group);
  }

  /** All that wait, in the order in which they would go if nothing else came. */
  inOrder(nowMs: number): readonly Waiting[] {
    return PRIORITIES.flatMap((priority) => {
      const groups = new Map<string, Waiting[]>();
      for (const one of this.#waiting.values()) {
        if (priorityOf(one, nowMs) !== priority) continue;
        const group = groups.get(one.group);
        if (group === undefined) groups.set(one.group, [one]);
        else group.push(one);
      }
      return inTurn([...groups].map(([group, waiting]) => ({ turn: this.#turnOf(group), waiting })));
    });
  }

  #turnOf(group: string): number {
    return Math.max(this.#turns.get(group) ?? 0, this.#clock);
  }
}

/** Its own, or urgent where its time has come. */
export function priorityOf(
  { priority, urgentFrom }: Pick<Waiting, 'priority' | 'urgentFrom'>,
  nowMs: number,
): Priority {
  return urgentFrom !== undefined && nowMs >= Date.parse(urgentFrom) ? 'urgent' : priority;
}

/** Who had the fewest turns goes first; of those with as many, who asked first. */
function inTurn(
  groups: readonly { readonly turn: number; readonly waiting: readonly Waiting[] }[],
): readonly Waiting[] {
  return groups
    .flatMap(({ turn, waiting }) => waiting.map((one, index) => ({ one, turn: turn + index })))
    .toSorted((a, b) => a.turn - b.turn || a.one.sinceMs - b.one.sinceMs)
    .map(({ one }) => one);
}
