import { isCancellation } from '@temporalio/workflow';
import type { Reservation } from '../../contracts/budget';
import type { GenerateInput } from '../../contracts/workflows';
import type { OnAccepted, TaskRun } from './collect-task';
import { attemptKey } from './attempt-key';
import type { BudgetClient } from './budget-client';
import { runWithLease } from './run-with-lease';
import type { Preemption } from './preempt-unsent';
import type { LeaseClient } from './lease-client';

/** The task of one of a shot's takes, which is sent only where the production's budget allows it, if it has one. */
export interface BudgetedTask {
  /** One run of it. It is parked for the budget where it has to wait. */
  run(input: GenerateInput, onAccepted: OnAccepted): Promise<Exclude<TaskRun, { state: 'unreserved' | 'unleased' }>>;
  /** Whether it may be sent that was parked for the budget. */
  mayGoOn(): boolean;
  /** Leaves to others what was kept for it and is not needed. */
  end(): void;
}

interface BudgetedTaskClients {
  readonly budgetClient: BudgetClient;
  readonly leaseClient: LeaseClient;
  readonly preemption: Preemption;
}

export function openBudgetedTask({ budgetClient, leaseClient, preemption }: BudgetedTaskClients): BudgetedTask {
  /** What was asked for last, as long as it may be sent by that. */
  let asked: Reservation | null = null;
  /** Whether it may have been sent already. */
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
          // What is refused for want of credits is sent again by the same permit.
          if (ran.state === 'parked' && ran.parked.for === 'credits') return ran;
          // What is surely not accepted has not used it.
          if (ran.state === 'failed' && ran.isUnpaid) isPassedOn = false;
          end();
          return ran;
        }
        const { reservation, take, ref, decisions } = ran;
        // What was asked for already keeps its place: of two signals the later one may come first.
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
