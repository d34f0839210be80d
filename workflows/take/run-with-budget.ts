import { isCancellation } from '@temporalio/workflow';
import type { Reservation } from '../../contracts/budget';
import type { GenerateInput } from '../../contracts/workflows';
import type { OnAccepted, TaskRun } from './collect-task';
import { attemptKey } from './attempt-key';
import type { BudgetClient } from './budget-client';
import { runWithLease } from './run-with-lease';
import type { Preemption } from './preempt-unsent';
import type { LeaseClient } from './lease-client';

/** The task of a take. If the production has a budget, it is sent only when the budget allows it. */
export interface BudgetedTask {
  /** Runs the task once. It is parked for `budget` if it has to wait. */
  run(input: GenerateInput, onAccepted: OnAccepted): Promise<Exclude<TaskRun, { state: 'unreserved' | 'unleased' }>>;
  /** Whether a task that was parked for the budget may be sent now. */
  mayGoOn(): boolean;
  /** Returns an unused permit to the production. */
  end(): void;
}

interface BudgetedTaskClients {
  readonly budgetClient: BudgetClient;
  readonly leaseClient: LeaseClient;
  readonly preemption: Preemption;
}

export function openBudgetedTask({ budgetClient, leaseClient, preemption }: BudgetedTaskClients): BudgetedTask {
  /** The last reservation that was requested, as long as the task may be sent by it. */
  let asked: Reservation | null = null;
  /** Whether its permit was passed to a run, which may have sent the task. */
  let isPassedOn = false;

  function mayGoOn(): boolean {
    return asked !== null && !isPassedOn && budgetClient.isAllowed(asked);
  }
  function end(): void {
    if (asked !== null && isPassedOn) budgetClient.used(asked);
    else if (asked !== null) budgetClient.withdraw(asked);
    asked = null;
    isPassedOn = false;
  }

  return {
    mayGoOn,
    end,
    async run(input, onAccepted) {
      for (;;) {
        isPassedOn ||= mayGoOn();
        const ran = await runWithLease(isPassedOn ? withReservation(input, asked) : input, onAccepted, {
          leaseClient,
          preemption,
        });
        if (ran.state !== 'unreserved') {
          // A task that was refused for lack of credits is sent again by the same permit.
          if (ran.state === 'parked' && ran.parked.for === 'credits') return ran;
          // A task that was surely not accepted has not used its permit.
          if (ran.state === 'failed' && ran.isUnpaid) isPassedOn = false;
          end();
          return ran;
        }
        const { reservation, take, ref, decisions } = ran;
        // A repeated reservation keeps its place. Withdrawing it first could arrive after the new request.
        if (asked === null || isPassedOn || attemptKey(asked) !== attemptKey(reservation)) {
          end();
          asked = reservation;
        }
        try {
          const reason = await budgetClient.ask(reservation);
          if (reason !== null) return { state: 'parked', parked: { for: 'budget', reason, take }, ref, decisions };
        } catch (error) {
          if (!isCancellation(error)) throw error;
          return { state: 'cancelled' };
        }
      }
    },
  };
}

function withReservation({ task, ...input }: GenerateInput, asked: Reservation | null): GenerateInput {
  if (asked === null) return { ...input, task };
  const { takeKey, sending } = asked;
  return { ...input, task: { ...task, permit: { takeKey, sending } } };
}
