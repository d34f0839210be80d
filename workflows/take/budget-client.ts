import {
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Permit, Reservation, ReservationAnswer, ReservationNews } from '../../contracts/money/budget';
import { reservationAnswerSignal, reservationSignal } from '../messages';
import { attemptKey } from './attempt-key';

/**
 * Pauses between attempts to signal the production. A signal fails if the production is being reset, has ended, or
 * accepts no more signals. Each attempt adds events to the history, so the pauses grow.
 */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

/** Asks the parent production, which has a budget, to permit each sending (submit) of a shot. */
export interface BudgetClient {
  /** Requests a permit, and returns the reason to wait; null if the take may be sent. */
  ask(reservation: Reservation): Promise<string | null>;
  isAllowed(permit: Permit): boolean;
  /** To be called when a sending that may be charged has ended and is in the ledger. */
  used(permit: Permit): void;
  /** To be called if the gateway certainly charges nothing for the sending. */
  withdraw(permit: Permit): void;
  /** The requests whose sendings have not ended, for a production that was reset or has continued as new. */
  openReservations(): readonly Omit<ReservationNews, 'runId'>[];
}

/** Registers the signal by which the production answers. To be called before anything is awaited. */
export function openBudgetClient(): BudgetClient {
  const runId = workflowInfo().firstExecutionRunId;
  const asked = new Map<string, Reservation>();
  const answers = new Map<string, ReservationAnswer>();
  const isAllowed = (permit: Permit): boolean => answers.get(attemptKey(permit))?.waitsFor === null;

  // Answers may arrive out of order, so a sending that was allowed once stays allowed.
  setHandler(reservationAnswerSignal, (answer) => {
    if (!isAllowed(answer)) answers.set(attemptKey(answer), answer);
  });

  async function signalProduction(reservation: Reservation, wish: ReservationNews['wish']): Promise<void> {
    const { parent } = workflowInfo();
    if (parent === undefined) return;
    await getExternalWorkflowHandle(parent.workflowId).signal(reservationSignal, { reservation, runId, wish });
  }
  /** Retries until the request is delivered or answered. After a reset, the production asks for open requests. */
  async function requestUntilDelivered(reservation: Reservation): Promise<void> {
    const isAnswered = (): boolean => answers.has(attemptKey(reservation));
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await signalProduction(reservation, 'asked');
        return;
      } catch (error) {
        if (isCancellation(error)) throw error;
        if (!patched('answered-before-asked-again')) await sleep(pauseMs);
        else if (await condition(isAnswered, pauseMs)) return;
      }
    }
  }
  /** Ignores errors: if the production is gone, its next run reads the ledger. */
  function signalOnce(reservation: Reservation, wish: ReservationNews['wish']): void {
    signalProduction(reservation, wish).catch(() => undefined);
  }

  return {
    isAllowed,
    async ask(reservation) {
      const key = attemptKey(reservation);
      asked.set(key, reservation);
      if (!answers.has(key)) {
        await requestUntilDelivered(reservation);
        await condition(() => answers.has(key));
      }
      return answers.get(key)?.waitsFor ?? null;
    },
    used(permit) {
      asked.delete(attemptKey(permit));
    },
    withdraw(permit) {
      const reservation = asked.get(attemptKey(permit));
      if (reservation === undefined) return;
      asked.delete(attemptKey(permit));
      answers.delete(attemptKey(permit));
      signalOnce(reservation, 'withdrawn');
    },
    openReservations: () =>
      [...asked.values()].map((reservation) => ({ reservation, wish: isAllowed(reservation) ? 'held' : 'asked' })),
  };
}
