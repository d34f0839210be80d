import {
  ActivityFailure,
  CancellationScope,
  type ExternalWorkflowHandle,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ProductionSpending, Reservation, ReservationNews, ShotSpending } from '../../contracts/money/budget';
import { shotWorkflowId } from '../../contracts/identifiers';
import type { CarriedProduction } from '../../contracts/render/carried-production';
import type { ShotOutcome, ShotProgress } from '../../contracts/workflows';
import { isTimeout } from '../temporal/activity-failures';
import { decisionActivities } from '../temporal/activity-options';
import type { BudgetAccount } from '../progress/budget';
import { failure } from '../temporal/fail';
import { reportProgressSignal, reservationAnswerSignal, reservationSignal, setBudgetUpdate } from '../messages';
import type { ProductionProgress } from '../progress/production-progress';
import { RUNS_WITHOUT_BUDGET } from '../progress/revision';
import { attemptKey } from '../take/attempt-key';

/** Grants the permits with which a production's shots send takes, within the budget. Does nothing without a budget. */
export interface BudgetCoordinator {
  /** Loads the ledger's charges. No permit is granted before that. */
  open(): Promise<void>;
  /** Answers new requests, and grants the waiting requests that fit the budget now. */
  check(): void;
  /** Drops the requests of shots that are no longer wanted. */
  forget(shotIds: readonly string[]): void;
  shotProgressed(progress: ShotProgress): void;
  /** Settles the open sendings of a shot whose run has ended. */
  shotEnded(shotId: string, outcome: ShotOutcome): Promise<void>;
  /** True if no signal to a shot is still being delivered. */
  isIdle(): boolean;
  /** The state for the next run (continue-as-new); empty without a budget. */
  carried(): Pick<CarriedProduction, 'budget'>;
}

/**
 * Registers the signal by which shots request permits, and the update that changes the budget. To be called before
 * anything is awaited.
 *
 * @param objection returns the reason why the budget can no longer be changed; undefined if it can.
 */
export function openBudgetCoordinator(
  progress: ProductionProgress,
  carried: CarriedProduction['budget'],
  objection: () => string | undefined,
): BudgetCoordinator {
  const account = progress.budget();
  const coordinator = account === null ? NO_BUDGET : new RunningCoordinator(account, progress, carried?.older ?? []);
  if (account !== null && carried !== undefined && waitsOutlastHistory()) account.expectRequests();
  // Registered last, since an update that has already arrived is handled at once.
  setHandler(
    setBudgetUpdate,
    (credits: number) => {
      account?.setCredits(credits);
      coordinator.check();
      return account?.figures() ?? null;
    },
    {
      validator: (credits: number) => {
        const reason = objection() ?? (account === null ? RUNS_WITHOUT_BUDGET : undefined);
        if (reason !== undefined) throw failure('BudgetRefused', reason);
        if (!(Number.isFinite(credits) && credits >= 0))
          throw failure('BudgetRefused', 'a budget is a number of credits, 0 or more');
      },
    },
  );
  return coordinator;
}

/** False in histories of versions in which a carried wait for the budget ended, and began again. */
function waitsOutlastHistory(): boolean {
  if (!patched('budget-waits-outlast-history')) return false;
  return true;
}

interface Estimates {
  readonly reservation: <T extends Reservation>(told: T) => T;
  readonly spending: (told: ProductionSpending) => ProductionSpending;
}

const ESTIMATES: Estimates = { reservation: (told) => told, spending: (told) => told };

/** For productions whose histories began without estimates. */
const NO_ESTIMATES: Estimates = {
  reservation: withoutEstimate,
  spending: (told) =>
    Object.fromEntries(
      Object.entries(told).map(([id, { charged, chargedTakes, open }]): [string, ShotSpending] => [
        id,
        { charged, chargedTakes, open: open.map((sending) => withoutEstimate(sending)) },
      ]),
    ),
};

function withoutEstimate<T extends Reservation>(told: T): T {
  const plain = { ...told };
  delete (plain as { taskKind?: unknown }).taskKind;
  delete (plain as { estimate?: unknown }).estimate;
  return plain;
}

const NO_BUDGET: BudgetCoordinator = {
  open: () => Promise.resolve(),
  check: () => undefined,
  forget: () => undefined,
  shotProgressed: () => undefined,
  shotEnded: () => Promise.resolve(),
  isIdle: () => true,
  carried: () => ({}),
};

class RunningCoordinator implements BudgetCoordinator {
  readonly #account: BudgetAccount;
  readonly #progress: ProductionProgress;
  // Workers of older versions ignore the estimates that newer activities report. The patch marker keeps a
  // production's decisions as they began: with or without estimates.
  readonly #estimates = patched('budget-estimates') ? ESTIMATES : NO_ESTIMATES;
  #isOpen = false;
  /** Requests that `check` has not answered yet. */
  #unanswered: Reservation[] = [];
  /** Runs from before a reset that have yet to report. By shot: the history's length when the run was asked. */
  readonly #older = new Map<string, number>();
  /** All shots that were ever in `#older`. */
  readonly #everOlder = new Set<string>();
  #delivering = 0;

  constructor(account: BudgetAccount, progress: ProductionProgress, olderBefore: readonly string[]) {
    this.#account = account;
    this.#progress = progress;
    setHandler(reservationSignal, (news: ReservationNews) => {
      this.#hear(news);
      this.check();
    });
    for (const shotId of olderBefore) this.#askOlderRun(shotId);
  }

  async open(): Promise<void> {
    for (;;) {
      try {
        this.#account.load(this.#estimates.spending(await this.#lookUp(null)));
        this.#progress.budgetCounted();
        this.#isOpen = true;
        this.check();
        return;
      } catch (error) {
        // A cancelled production starts no shot that could ask.
        if (isCancellation(error)) return;
        if (!isTimeout(error)) throw error;
      }
    }
  }

  check(): void {
    // After a reset or continue-as-new, wait for the reports of running shots: they may hold credits unknown here.
    const { runs } = this.#progress;
    if (!this.#isOpen || !runs.areAllHeardOf() || [...this.#older.keys()].some((id) => runs.isMissing(id))) return;
    const asked = this.#unanswered;
    this.#unanswered = [];
    for (const reservation of asked) this.#account.ask(reservation);
    this.#account.requestsKnown();
    const allowed = this.#account.allow();
    for (const reservation of new Set([...allowed, ...asked])) this.#answer(reservation);
  }

  forget(shotIds: readonly string[]): void {
    for (const shotId of shotIds) this.#forget(shotId);
  }

  shotProgressed({ shotId, runId, takes, awaited, reservations = [] }: ShotProgress): void {
    for (const told of reservations) this.#hear({ ...told, runId });
    // A reset reapplies older signals, so only a report that came after the request is its answer.
    if (workflowInfo().historyLength > (this.#older.get(shotId) ?? Infinity)) this.#older.delete(shotId);
    for (const take of takes) this.#account.note(take, awaited.includes(take.take));
    this.check();
  }

  async shotEnded(shotId: string, { takes }: ShotOutcome): Promise<void> {
    const account = this.#account;
    for (const take of takes) account.note(take);
    this.#forget(shotId);
    this.check();
    const isCounted = takes.every(({ taskId, takeKey }) => taskId === null || account.isCounted(takeKey));
    if (isCounted && !account.isOpen(shotId)) return;
    try {
      const spending = await CancellationScope.nonCancellable(() => this.#lookUp(shotId));
      account.closeShot(shotId, this.#estimates.spending(spending)[shotId]);
    } catch (error) {
      // If the charges cannot be looked up, the credits stay reserved.
      if (!(error instanceof ActivityFailure)) throw error;
    }
    this.#forget(shotId);
    this.check();
  }

  isIdle(): boolean {
    return this.#delivering === 0;
  }

  carried(): Pick<CarriedProduction, 'budget'> {
    const older = [...this.#everOlder].filter((id) => this.#progress.runs.isMissing(id));
    return { budget: { credits: this.#account.credits(), older } };
  }

  #hear(news: ReservationNews): void {
    const { runs } = this.#progress;
    const { wish } = news;
    const reservation = this.#estimates.reservation(news.reservation);
    const { shotId } = reservation;
    const isOlder = runs.isMissing(shotId);
    if (isOlder) this.#askOlderRun(shotId);
    else if (!runs.isUnderWay(news)) return;
    if (wish === 'asked') {
      if (runs.isWanted(shotId)) this.#unanswered.push(reservation);
    } else if (wish === 'held') this.#account.hold(reservation);
    else {
      this.#unanswered = this.#unanswered.filter((one) => attemptKey(one) !== attemptKey(reservation));
      this.#account.withdraw(reservation);
    }
  }

  /** Drops the requests of a shot that no longer waits for answers. */
  #forget(shotId: string): void {
    this.#account.withdrawAll(shotId);
    this.#unanswered = this.#unanswered.filter((one) => one.shotId !== shotId);
  }

  /** Answers a shot. If the shot is gone, it needs no answer. */
  #answer(reservation: Reservation): void {
    const { shotId, takeKey, sending } = reservation;
    const waitsFor = this.#account.waitsFor(reservation);
    this.#deliver(
      this.#shotHandle(shotId).signal(reservationAnswerSignal, { takeKey, sending, waitsFor }),
      () => undefined,
    );
  }

  /**
   * Asks a shot's run from before a reset for its state. Temporal reapplies the signals of such runs, so `#hear` calls
   * this method for each shot that may hold credits.
   */
  #askOlderRun(shotId: string): void {
    if (this.#older.has(shotId)) return;
    this.#older.set(shotId, workflowInfo().historyLength);
    this.#everOlder.add(shotId);
    this.#deliver(this.#shotHandle(shotId).signal(reportProgressSignal), () => {
      this.#older.delete(shotId);
      this.check();
    });
  }

  #deliver(telling: Promise<void>, onGone: () => void): void {
    this.#delivering += 1;
    void telling.catch(onGone).finally(() => {
      this.#delivering -= 1;
    });
  }

  #shotHandle(shotId: string): ExternalWorkflowHandle {
    const { productionId, storeId } = this.#progress.input();
    return getExternalWorkflowHandle(shotWorkflowId(storeId, productionId, shotId));
  }

  #lookUp(shotId: string | null): Promise<ProductionSpending> {
    const { productionId } = this.#progress.input();
    return decisionActivities('policy').lookUpSpending({ productionId, shotId });
  }
}
