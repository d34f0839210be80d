import { type LeaseAsk, PRIORITIES, type Priority } from '../../contracts/gateway/arbiter';
import { attemptKey } from '../take/attempt-key';

/**
 * Orders requests for leases by priority. Within a priority, groups (by default, productions) take turns. Calls no
 * Temporal API, so that it can be tested without a server.
 */

/** A request that waits for a lease. */
export interface Waiting extends Omit<LeaseAsk, 'still' | 'force' | 'refused' | 'throttled'> {
  readonly sinceMs: number;
}

export interface QueueState {
  readonly waiting: readonly Waiting[];
  /** The next turn of each group. A group without an entry starts at `clock`. */
  readonly turns: readonly (readonly [group: string, turn: number])[];
  /** The highest turn that was taken. */
  readonly clock: number;
}

export class LeaseQueue {
  /** By `attemptKey`, in the order of arrival. */
  readonly #waiting: Map<string, Waiting>;
  readonly #turns: Map<string, number>;
  #clock: number;

  constructor({ waiting, turns, clock }: QueueState = { waiting: [], turns: [], clock: 0 }) {
    this.#waiting = new Map(waiting.map((one) => [attemptKey(one), one]));
    this.#turns = new Map(turns);
    this.#clock = clock;
  }

  /** @param most maximum number of requests to keep, from the queue's head. A dropped request's take asks again. */
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

  /** Adds a request, or updates a waiting one, which keeps its place. */
  add(one: Waiting): void {
    const known = this.#waiting.get(attemptKey(one));
    this.#waiting.set(attemptKey(one), known === undefined ? one : { ...one, sinceMs: known.sinceMs });
  }

  remove(key: Pick<Waiting, 'takeKey' | 'sending'>): void {
    this.#waiting.delete(attemptKey(key));
  }

  /** Removes a request that is granted, and uses up its group's turn. */
  take(one: Waiting): void {
    this.remove(one);
    const turn = this.#turnOf(one.group);
    this.#clock = Math.max(this.#clock, turn);
    this.#turns.set(one.group, turn + 1);
    // A group without an entry starts at `clock`, so turns up to `clock` need no entry.
    for (const [group, had] of this.#turns) if (had <= this.#clock) this.#turns.delete(group);
  }

  /** All requests in their present order. Each grant may change the order, since it uses up a turn of its group. */
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

/** The request's own priority, or urgent from `urgentFrom` on. */
export function priorityOf(
  { priority, urgentFrom }: Pick<Waiting, 'priority' | 'urgentFrom'>,
  nowMs: number,
): Priority {
  return urgentFrom !== undefined && nowMs >= Date.parse(urgentFrom) ? 'urgent' : priority;
}

/** Merges the groups: a lower turn goes first; at the same turn, the earlier request. */
function inTurn(
  groups: readonly { readonly turn: number; readonly waiting: readonly Waiting[] }[],
): readonly Waiting[] {
  return groups
    .flatMap(({ turn, waiting }) => waiting.map((one, index) => ({ one, turn: turn + index })))
    .toSorted((a, b) => a.turn - b.turn || a.one.sinceMs - b.one.sinceMs)
    .map(({ one }) => one);
}
