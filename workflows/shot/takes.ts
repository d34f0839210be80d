import type { TakeProgress } from '../../contracts/render/take';
import type { Parked, ShotInput, TakeOutcome } from '../../contracts/workflows';
import type { DecisionHandler } from '../take/decision-handler';
import type { BudgetClient } from '../take/budget-client';
import { runTake } from '../take/run-take';
import type { ShotReport } from './shot-report';
import type { Preemption } from '../take/preempt-unsent';
import type { LeaseClient } from '../take/lease-client';

/**
 * A shot's takes, which run in parallel. A cancellation does not reject `first` and `ended`: a cancelled take has an
 * outcome too.
 */
export interface Takes {
  /** The first take that completes; null if all have ended and none has completed. */
  readonly first: Promise<TakeProgress | null>;
  readonly ended: Promise<readonly TakeOutcome[]>;
  /**
   * Call this when a take is chosen, or when no take will be chosen. Parked takes stop waiting, except takes that wait
   * for the budget.
   */
  release(): void;
  /** Call this when the choice is final, or will not be made. Takes that wait for the budget then stop waiting too. */
  settle(): void;
}

interface TakesSurroundings {
  readonly decisionHandler: DecisionHandler;
  readonly budgetClient: BudgetClient;
  readonly leaseClient: LeaseClient;
  readonly report: ShotReport;
  readonly preemption: Preemption;
}

/** Starts a shot's takes. Each take repeats failed tasks and waits for decisions on its own. */
export function startTakes(
  input: ShotInput,
  { decisionHandler, budgetClient, leaseClient, report, preemption }: TakesSurroundings,
): Takes {
  let isChosen = false;
  let isSettled = false;
  /** Takes that wait for the budget are spare only when the choice is final: a reviewer may want one of them. */
  const isSpare = (parkedFor: Parked['for']): boolean => (parkedFor === 'budget' ? isSettled : isChosen);
  const runs = Array.from({ length: input.takes }, async (_, sibling) => {
    const listener = report.listener(sibling);
    const surroundings = { decisionHandler, budgetClient, leaseClient, listener, isSpare, preemption };
    const outcome = await runTake({ ...input, task: { ...input.task, sibling } }, surroundings);
    report.takeEnded(sibling, outcome);
    return outcome;
  });
  const ended = Promise.all(runs);
  const firstOf = (outcomes: readonly TakeOutcome[]): TakeProgress | null =>
    outcomes.find(({ state }) => state === 'completed')?.take ?? null;
  const completed = runs.map(async (run) => firstOf([await run]) ?? firstOf(await ended));
  return {
    first: Promise.race(completed),
    ended,
    release() {
      isChosen = true;
      decisionHandler.takeChosen();
    },
    settle() {
      isSettled = true;
    },
  };
}
