import type { HeldLease, LeaseKey } from '../../contracts/gateway/arbiter';
import { attemptKey } from '../take/attempt-key';

/** An account's granted leases that have not ended, keyed by take and sending. */
export class HeldLeases {
  readonly #byKey = new Map<string, HeldLease>();
  readonly #countByModel = new Map<string, number>();
  readonly #unclear: Set<string>;

  constructor(held: readonly HeldLease[], unclear: readonly string[]) {
    for (const one of held) this.put(one);
    this.#unclear = new Set(unclear);
  }

  get(key: LeaseKey): HeldLease | undefined {
    return this.#byKey.get(attemptKey(key));
  }

  has(key: LeaseKey): boolean {
    return this.#byKey.has(attemptKey(key));
  }

  all(): readonly HeldLease[] {
    return [...this.#byKey.values()];
  }

  /** Number of leases of a model. Default: of all models. */
  count(model?: string): number {
    return model === undefined ? this.#byKey.size : (this.#countByModel.get(model) ?? 0);
  }

  countByModel(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#countByModel);
  }

  /** Number of leases that are not marked as unclear. */
  clearCount(): number {
    return this.#byKey.size - this.#unclear.size;
  }

  /** Adds a lease, or replaces the lease of the same take and sending. */
  put(lease: HeldLease): void {
    const { model } = lease;
    if (!this.has(lease)) this.#countByModel.set(model, this.count(model) + 1);
    this.#byKey.set(attemptKey(lease), lease);
  }

  /** Marks a lease as unclear: the gateway may or may not have accepted its submit. */
  markUnclear(key: LeaseKey): void {
    if (this.has(key)) this.#unclear.add(attemptKey(key));
  }

  unclearKeys(): readonly string[] {
    return [...this.#unclear];
  }

  remove(lease: HeldLease): void {
    const { model } = lease;
    this.#unclear.delete(attemptKey(lease));
    if (!this.#byKey.delete(attemptKey(lease))) return;
    const left = this.count(model) - 1;
    if (left > 0) this.#countByModel.set(model, left);
    else this.#countByModel.delete(model);
  }
}
