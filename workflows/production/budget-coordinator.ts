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
import type { ProductionSpending, Reservation, ReservationNews, ShotSpending } from '../../contracts/budget';
import { shotWorkflowId } from '../../contracts/identifiers';
import type { CarriedProduction } from '../../contracts/carried-production';
import type { ShotOutcome, ShotProgress } from '../../contracts/workflows';
import { isTimeout } from '../temporal/activity-failures';
import { decisionActivities } from '../temporal/activity-options';
import type { BudgetAccount } from '../progress/budget';
import { failure } from '../temporal/fail';
import { reportProgressSignal, reservationAnswerSignal, reservationSignal, setBudgetUpdate } from '../messages';
import type { ProductionProgress } from '../progress/production-progress';
import { RUNS_WITHOUT_BUDGET } from '../progress/revision';
import { attemptKey } from '../take/attempt-key';

/** Allows the sendings of a production's shots. Without a budget it does nothing. */
export interface BudgetCoordinator {
  /** Loads the ledger's charges. Nothing is allowed before that. */
  open(): Promise<void>;
  /** To be called when waiting sendings may fit now. */
  look(): void;
  /** Allows nothing more to shots that are being drained, whatever they have asked for. */
  forget(shotIds: readonly string[]): void;
  shotProgressed(progress: ShotProgress): void;
  /** Settles what is still open for a shot whose run has ended. */
  shotEnded(shotId: string, outcome: ShotOutcome): Promise<void>;
  /** Whether every answer has been delivered. */
  isQuiet(): boolean;
  /** The state for the production's next history; empty without a budget. */
  carried(): Pick<CarriedProduction, 'budget'>;
}

/**
 * Registers the signal by which shots ask and the update that changes the budget. To be called before anything is
 * awaited.
 *
 * @param objection why the budget can no longer be changed; undefined if it can.
 */
export function openBudgetCoordinator(
  progress: ProductionProgress,
  carried: CarriedProduction['budget'],
  objection: () => string | undefined,
): BudgetCoordinator {
  const account = progress.budget();
  const coordinator = account === null ? NO_BUDGET : coordinatorOf(account, progress, carried?.older ?? []);
  // Registered last, since an update that has already arrived is handled at once.
  setHandler(
    setBudgetUpdate,
    (credits: number) => {
      account?.setCredits(credits);
      coordinator.look();
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

interface Estimates {
  readonly reservation: <T extends Reservation>(told: T) => T;
  readonly spending: (told: ProductionSpending) => ProductionSpending;
}

const ESTIMATES: Estimates = { reservation: (told) => told, spending: (told) => told };

/** For productions that began before there were estimates. */
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
  look: () => undefined,
  forget: () => undefined,
  shotProgressed: () => undefined,
  shotEnded: () => Promise.resolve(),
  isQuiet: () => true,
  carried: () => ({}),
};

function coordinatorOf(
  account: BudgetAccount,
  progress: ProductionProgress,
  olderBefore: readonly string[],
): BudgetCoordinator {
  const { productionId, storeId } = progress.input();
  // A worker of an older version decides without estimates, even if newer activities report them. The marker keeps each
  // production to one way.
  const estimates = patched('budget-estimates') ? ESTIMATES : NO_ESTIMATES;
  let isOpen = false;
  /** Requests since the last look that are not answered yet. */
  let unanswered: Reservation[] = [];
  /** Shots that an older run started and this run did not, with the history's length when each was asked. */
  const older = new Map<string, number>();
  /** All shots that were ever in `older`. */
  const everOlder = new Set<string>();
  let delivering = 0;

  function look(): void {
    // After a reset, a shot of the older run may hold credits that this run does not know of.
    if (!isOpen || !progress.isHeardOfAll() || [...older.keys()].some((id) => progress.isWithoutRun(id))) return;
    const asked = unanswered;
    unanswered = [];
    for (const reservation of asked) account.ask(reservation);
    const allowed = account.allow();
    for (const reservation of new Set([...allowed, ...asked])) answer(reservation);
  }
  /** Answers a shot. If the shot is gone, it needs no answer. */
  function answer(reservation: Reservation): void {
    const { shotId, takeKey, sending } = reservation;
    deliver(
      shotHandle(shotId).signal(reservationAnswerSignal, {
        takeKey,
        sending,
        waitsFor: account.waitsFor(reservation),
      }),
      () => undefined,
    );
  }
  function deliver(telling: Promise<void>, onGone: () => void): void {
    delivering += 1;
    void telling.catch(onGone).finally(() => {
      delivering -= 1;
    });
  }
  function shotHandle(shotId: string): ExternalWorkflowHandle {
    return getExternalWorkflowHandle(shotWorkflowId(storeId, productionId, shotId));
  }
  /**
   * Asks a shot of an older run for its state. A reset replays the signals of older runs, so every such shot that may
   * hold credits is seen here.
   */
  function askOlderRun(shotId: string): void {
    if (older.has(shotId)) return;
    older.set(shotId, workflowInfo().historyLength);
    everOlder.add(shotId);
    deliver(shotHandle(shotId).signal(reportProgressSignal), () => {
      older.delete(shotId);
      look();
    });
  }
  function hear(news: ReservationNews): void {
    const { wish } = news;
    const reservation = estimates.reservation(news.reservation);
    const { shotId } = reservation;
    const isOlder = progress.isWithoutRun(shotId);
    if (isOlder) askOlderRun(shotId);
    else if (!progress.isRunUnderWay(news)) return;
    if (wish === 'asked') {
      if (progress.isWanted(shotId)) unanswered.push(reservation);
    } else if (wish === 'held') account.hold(reservation);
    else {
      unanswered = unanswered.filter((one) => attemptKey(one) !== attemptKey(reservation));
      account.withdraw(reservation);
    }
  }

  setHandler(reservationSignal, (news: ReservationNews) => {
    hear(news);
    look();
  });

  /** A shot that no longer asks needs no answer. */
  function forget(shotId: string): void {
    account.withdrawAll(shotId);
    unanswered = unanswered.filter((one) => one.shotId !== shotId);
  }

  olderBefore.forEach(askOlderRun);

  return {
    look,
    isQuiet: () => delivering === 0,
    carried: () => ({
      budget: { credits: account.credits(), older: [...everOlder].filter((id) => progress.isWithoutRun(id)) },
    }),
    forget(shotIds) {
      shotIds.forEach(forget);
    },
    async open() {
      for (;;) {
        try {
          account.load(estimates.spending(await lookUp(null)));
          progress.budgetCounted();
          isOpen = true;
          look();
          return;
        } catch (error) {
          // A cancelled production starts no shot that could ask.
          if (isCancellation(error)) return;
          if (!isTimeout(error)) throw error;
        }
      }
    },
    shotProgressed({ shotId, runId, takes, awaited, reservations = [] }) {
      for (const told of reservations) hear({ ...told, runId });
      // Signals from before the request are replays by the reset; only a later one is the answer.
      if (workflowInfo().historyLength > (older.get(shotId) ?? Infinity)) older.delete(shotId);
      for (const take of takes) account.note(take, awaited.includes(take.take));
      look();
    },
    async shotEnded(shotId, { takes }) {
      for (const take of takes) account.note(take);
      forget(shotId);
      look();
      const isCounted = takes.every(({ taskId, takeKey }) => taskId === null || account.isCounted(takeKey));
      if (isCounted && !account.isOpen(shotId)) return;
      try {
        const spending = await CancellationScope.nonCancellable(() => lookUp(shotId));
        account.closeShot(shotId, estimates.spending(spending)[shotId]);
      } catch (error) {
        // If the charges cannot be looked up, the credits stay reserved.
        if (!(error instanceof ActivityFailure)) throw error;
      }
      forget(shotId);
      look();
    },
  };

  function lookUp(shotId: string | null): Promise<ProductionSpending> {
    return decisionActivities('policy').lookUpSpending({ productionId, shotId });
  }
}
