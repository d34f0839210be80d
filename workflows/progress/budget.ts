import type {
  BudgetFigures,
  OpenSending,
  Permit,
  ProductionSpending,
  Reservation,
  ShotSpending,
} from '../../contracts/money/budget';
import { counted } from '../../contracts/counted';
import { exactCredits } from '../../contracts/money/credits';
import { basisInWords } from '../../contracts/money/price-estimate';
import type { TakeProgress } from '../../contracts/render/take';
import { BudgetPrices, type Price } from './budget-prices';
import { attemptKey } from '../take/attempt-key';

/** The facts about a take that concern its charge. */
export type TakeNews = Pick<TakeProgress, 'takeKey' | 'state' | 'credits'>;

/**
 * `under-way`: the sending is allowed and not sent yet, or was sent and a shot awaits the end of its task. Only such a
 * sending can soon show a price.
 */
type Standing = OpenSending['standing'] | 'under-way';

type Open = Reservation & {
  standing: Standing;
  /** Credits that the sending holds while it has neither price nor estimate: everything that was left. */
  readonly heldUnpriced: number;
};

/**
 * The account of a production with a budget: charges, reservations, and waiting sendings. Pure, so that it can be
 * tested without a server.
 *
 * A sending is allowed only if it fits the budget at the highest known price of its kind. If no price is known, one
 * task of the kind goes first: it reserves an estimate from other prices of the model, or else everything that is left.
 * Requests are served in order. A request that does not fit holds up all later requests.
 */
export class BudgetAccount {
  /** Null if the limit was removed. */
  #credits: number | null;
  /** Charged credits by shot. */
  readonly #spent = new Map<string, number>();
  readonly #charged = new Set<string>();
  readonly #open = new Map<string, Open>();
  /** In the order of the requests. */
  readonly #waiting = new Map<string, Reservation>();
  readonly #prices = new BudgetPrices();
  #hasAllRequests = true;

  constructor(credits: number | null) {
    this.#credits = credits;
  }

  credits(): number | null {
    return this.#credits;
  }

  setCredits(credits: number | null): void {
    this.#credits = credits;
  }

  /** Replaces the figures of these shots with those in the ledger. */
  load(spending: ProductionSpending): void {
    for (const [shotId, { charged, chargedTakes, rates = [] }] of Object.entries(spending)) {
      this.#forget(shotId);
      this.#spent.set(shotId, charged);
      this.#prices.note(shotId, rates);
      for (const takeKey of chargedTakes) this.#charged.add(takeKey);
    }
    const open = Object.values(spending).flatMap((shot) => shot.open);
    // Sendings without a price hold all credits that the others leave, so add them last.
    const isPriced = (one: Reservation): boolean => this.#prices.of(one) !== null;
    for (const one of open.filter(isPriced)) this.#add(one, one.standing);
    for (const one of open.filter((other) => !isPriced(other))) this.#add(one, one.standing);
  }

  /**
   * Call this when a shot's run has ended. Replaces the shot's figures with those in the ledger. This frees the credits
   * of sendings that were allowed but not sent.
   */
  closeShot(shotId: string, spending: ShotSpending | undefined): void {
    this.withdrawAll(shotId);
    if (spending === undefined) this.#forget(shotId);
    else this.load({ [shotId]: spending });
  }

  /** To be called after continue-as-new: the shots under way have to repeat their requests. */
  expectRequests(): void {
    this.#hasAllRequests = false;
  }

  /** To be called when all shots under way have repeated their requests. */
  requestsKnown(): void {
    this.#hasAllRequests = true;
  }

  /** True if all requests are known: a shot without a waiting request then does not wait. */
  hasAllRequests(): boolean {
    return this.#hasAllRequests;
  }

  /** Requests a sending. If it is already allowed or waiting, nothing changes. */
  ask(reservation: Reservation): void {
    const key = attemptKey(reservation);
    if (this.#open.has(key) || this.#waiting.has(key)) return;
    this.#waiting.set(key, reservation);
    // A permit covers further sendings after a refusal. So a take asks again only if its earlier sending is unclear.
    for (const open of this.#open.values()) if (open.takeKey === reservation.takeKey) open.standing = 'unclear';
  }

  /** Counts a sending that was allowed before this account was opened. */
  hold(reservation: Reservation): void {
    const key = attemptKey(reservation);
    const open = this.#open.get(key);
    if (open !== undefined) open.standing = 'under-way';
    if (open !== undefined || this.#charged.has(reservation.takeKey)) return;
    this.#waiting.delete(key);
    this.#add(reservation, 'under-way');
  }

  /** Removes a sending that surely costs nothing: it will not be sent, or the gateway refused it. */
  withdraw(permit: Permit): void {
    this.#waiting.delete(attemptKey(permit));
    this.#open.delete(attemptKey(permit));
  }

  withdrawAll(shotId: string): void {
    for (const [key, waiting] of this.#waiting) if (waiting.shotId === shotId) this.#waiting.delete(key);
  }

  /**
   * Records a take's state. Only a charge settles the take, and only once.
   *
   * @param isAwaited whether a shot awaits the end of the take's task. Default: no.
   */
  note({ takeKey, state, credits }: TakeNews, isAwaited = false): void {
    const newest = [...this.#open.values()].findLast((open) => open.takeKey === takeKey);
    if (newest === undefined || this.#charged.has(takeKey)) return;
    if (state === 'unclear') newest.standing = 'unclear';
    if (state === 'rendering') newest.standing = isAwaited ? 'under-way' : 'sent';
    if (state !== 'completed' && state !== 'failed') return;
    newest.standing = 'ended';
    if (credits === null) return;
    const { shotId } = newest;
    this.#open.delete(attemptKey(newest));
    this.#charged.add(takeKey);
    this.#spent.set(shotId, (this.#spent.get(shotId) ?? 0) + credits);
    // The charge of a failed task does not show the price of a completed task.
    if (state === 'completed') this.#prices.hear(newest, credits);
  }

  /** Allows the sendings that fit, in the order of the requests, and returns them. */
  allow(): readonly Reservation[] {
    const allowed: Reservation[] = [];
    for (const [key, reservation] of this.#waiting) {
      if (this.#objectionTo(reservation) !== null) break;
      this.#waiting.delete(key);
      this.#add(reservation, 'under-way');
      allowed.push(reservation);
    }
    return allowed;
  }

  /** The reason why a sending waits; null if it does not wait. */
  waitsFor(permit: Permit): string | null {
    const own = this.#waiting.get(attemptKey(permit));
    const first = this.#waiting.values().next().value;
    if (own === undefined || first === undefined) return null;
    const objection = this.#objectionTo(first) ?? 'it is checked next';
    return own === first ? objection : `"${first.shotId}" asked before: ${objection}`;
  }

  /** The reasons why a shot's sendings wait, each reason once; empty if none waits. */
  shotWaitsFor(shotId: string): readonly string[] {
    const own = [...this.#waiting.values()].filter((waiting) => waiting.shotId === shotId);
    return [...new Set(own.flatMap((waiting) => this.waitsFor(waiting) ?? []))];
  }

  /** Whether anything of the shot may still be charged. */
  isOpen(shotId: string): boolean {
    return [...this.#open.values()].some((open) => open.shotId === shotId);
  }

  /** Whether the take is counted, as charged or as open. */
  isCounted(takeKey: string): boolean {
    return this.#charged.has(takeKey) || [...this.#open.values()].some((open) => open.takeKey === takeKey);
  }

  /** The budget's figures; null if there is no limit. */
  figures(): BudgetFigures | null {
    if (this.#credits === null) return null;
    const unclear = [...this.#open.values()].filter(({ standing }) => standing === 'unclear');
    const unpriced = this.#unpriced();
    return {
      credits: this.#credits,
      spent: sum(this.#spent.values()),
      reserved: this.#reserved(this.#open.values()),
      unclear: this.#reserved(unclear),
      ...(unpriced === null ? {} : { unpriced }),
    };
  }

  #add(reservation: Reservation, standing: Standing): void {
    const { shotId, takeKey, sending, kind, units, quoted, taskKind, estimate } = reservation;
    const isUnpriced = this.#prices.of(reservation) === null;
    this.#open.set(attemptKey(reservation), {
      ...{ shotId, takeKey, sending, kind, units, quoted, standing },
      ...(taskKind === undefined ? {} : { taskKind }),
      ...(estimate === undefined ? {} : { estimate }),
      heldUnpriced: isUnpriced && this.#credits !== null ? Math.max(0, this.#left()) : 0,
    });
  }

  #forget(shotId: string): void {
    this.#spent.delete(shotId);
    for (const [key, open] of this.#open) if (open.shotId === shotId) this.#open.delete(key);
  }

  #objectionTo(reservation: Reservation): string | null {
    if (this.#credits === null) return null;
    const left = this.#left();
    const price = this.#prices.of(reservation);
    const first = price === null || price.estimate !== null ? this.#teacherFor(reservation, price) : undefined;
    if (first?.kind === reservation.kind) {
      return `nobody knows its price yet: the task of "${first.shotId}" goes first, and its charge is the price`;
    }
    if (first !== undefined)
      return `nobody knows its price; the task of "${first.shotId}", whose price is also unknown, goes first`;
    if (price === null) return left > 0 ? null : `nobody knows its price, and ${this.#leftInWords(left)}`;
    const { credits, estimate } = price;
    if (credits <= left) return null;
    return estimate === null
      ? `it needs ${counted(credits, 'credit')}, and ${this.#leftInWords(left)}`
      : `it may need ${counted(credits, 'credit')}, estimated by ${basisInWords(estimate)}, and ${this.#leftInWords(left)}`;
  }

  /**
   * Finds a sending under way whose charge the request must wait for: one of the same kind without a known price. A
   * request with a `taskKind`, but no price or estimate, also waits for a sending of another kind for which the same
   * holds.
   */
  #teacherFor({ kind, taskKind }: Reservation, price: Price | null): Open | undefined {
    const isAnyKind = price === null && taskKind !== undefined;
    return [...this.#open.values()].find((open) => {
      const openPrice = this.#prices.of(open);
      if (open.standing !== 'under-way' || openPrice?.estimate === null) return false;
      return open.kind === kind || (isAnyKind && openPrice === null && open.taskKind !== undefined);
    });
  }

  #leftInWords(left: number): string {
    const unpriced = this.#unpriced();
    if (unpriced === null) return `${Math.max(0, left)} of ${this.#credits} credits are left`;
    const shots = unpriced.shots.map((shot) => `"${shot}"`).join(', ');
    const rest = left > 0 ? `, and ${left} are left` : '';
    return `${unpriced.credits} of ${this.#credits} credits are held for ${shots} until the price is known${rest}`;
  }

  /** The credits that are held for tasks with neither price nor estimate, and their shots; null if there are none. */
  #unpriced(): { readonly credits: number; readonly shots: readonly string[] } | null {
    const open = [...this.#open.values()].filter((one) => one.heldUnpriced > 0 && this.#prices.of(one) === null);
    if (open.length === 0) return null;
    return { credits: this.#reserved(open), shots: [...new Set(open.map(({ shotId }) => shotId))] };
  }

  #left(): number {
    return this.#credits === null
      ? Infinity
      : exactCredits(this.#credits - sum(this.#spent.values()) - this.#reserved(this.#open.values()));
  }

  #reserved(open: Iterable<Open>): number {
    return sum([...open].map((one) => this.#prices.of(one)?.credits ?? one.heldUnpriced));
  }
}

function sum(credits: Iterable<number>): number {
  return exactCredits([...credits].reduce((total, one) => total + one, 0));
}
