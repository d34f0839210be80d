import {
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  patched,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Permit, Reservation, ReservationAnswer, ReservationNews } from '../../contracts/budget';
import { reservationAnswerSignal, reservationSignal } from '../messages';
import { attemptKey } from './attempt-key';

/**
 * A production that cannot be told is being reset, or has just ended and is about to cancel its shots. Or it takes no more
 * signals: each try is events, so they become more and more rare.
 */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

/** Where a shot of a production with a budget has its sendings allowed. */
export interface BudgetClient {
  /** Asks for a sending, and returns what it has to wait for; null where it may be sent. */
  ask(reservation: Reservation): Promise<string | null>;
  isAllowed(permit: Permit): boolean;
  /** It was sent, or refused for good: the ledger has it. */
  used(permit: Permit): void;
  /** It will not be sent. */
  withdraw(permit: Permit): void;
  /** All that was asked for, and whether it is held: a production that was reset may have heard nothing. */
  standing(): readonly Omit<ReservationNews, 'runId'>[];
}

/** Registers the signal by which the production answers. To be called before anything is awaited. */
export function openBudgetClient(): BudgetClient {
  const runId = workflowInfo().firstExecutionRunId;
  const asked = new Map<string, Reservation>();
  const answers = new Map<string, ReservationAnswer>();
  const isAllowed = (permit: Permit): boolean => answers.get(attemptKey(permit))?.waitsFor === null;

  // Of two answers the later one may arrive first; what is allowed stays allowed.
  setHandler(reservationAnswerSignal, (answer) => {
    if (!isAllowed(answer)) answers.set(attemptKey(answer), answer);
  });

  async function tell(reservation: Reservation, wish: ReservationNews['wish']): Promise<void> {
    const { parent } = workflowInfo();
    if (parent === undefined) return;
    await getExternalWorkflowHandle(parent.workflowId).signal(reservationSignal, { reservation, runId, wish });
  }
  /** Or until it is answered: a production that was reset asks where its shots stand. */
  async function askUntilHeard(reservation: Reservation): Promise<void> {
    const isAnswered = (): boolean => answers.has(attemptKey(reservation));
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await tell(reservation, 'asked');
        return;
      } catch (error) {
        if (isCancellation(error)) throw error;
        if (!patched('answered-before-asked-again')) await sleep(pauseMs);
        else if (await condition(isAnswered, pauseMs)) return;
      }
    }
  }
  /** A production that is gone needs no telling: the next one asks the ledger. */
  function tellOnce(reservation: Reservation, wish: ReservationNews['wish']): void {
    tell(reservation, wish).catch(() => undefined);
  }

  return {
    isAllowed,
    async ask(reservation) {
      const key = attemptKey(reservation);
      asked.set(key, reservation);
      if (!answers.has(key)) {
        await askUntilHeard(reservation);
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
      tellOnce(reservation, 'withdrawn');
    },
    standing: () =>
      [...asked.values()].map((reservation) => ({ reservation, wish: isAllowed(reservation) ? 'held' : 'asked' })),
  };
}
