import { isCancellation } from '@temporalio/workflow';
import type { Reservation } from '../contracts/budget';
import type { GenerateInput } from '../contracts/workflows';
import type { OnAccepted, TaskRun } from './bring-home';
import { keyOf } from './sending-key';
import type { Permits } from './permits';
import { runInTurn } from './run-in-turn';
import type { StandDown } from './stand-down';
import type { Turns } from './turns';

/** The task of one of a shot's takes, which is sent only where the production's budget allows it, if it has one. */
export interface AllowedTask {
  /** One run of it. It is parked for the budget where it has to wait. */
  run(input: GenerateInput, onAccepted: OnAccepted): Promise<Exclude<TaskRun, { state: 'unreserved' | 'unleased' }>>;
  /** Whether it may be sent that was parked for the budget. */
  mayGoOn(): boolean;
  /** Leaves to others what was kept for it and is not needed. */
  end(): void;
}

interface AllowedTaskDesks {
  readonly permits: Permits;
  readonly turns: Turns;
  readonly standDown: StandDown;
}

export function openAllowedTask({ permits, turns, standDown }: AllowedTaskDesks): AllowedTask {
  /** What was asked for last, as long as it may be sent by that. */
  let asked: Reservation | null = null;
  /** Whether it may have been sent already. */
  let isPassedOn = false;

  function mayGoOn(): boolean {
    return asked !== null && !isPassedOn && permits.isAllowed(asked);
  }
  function end(): void {
    if (asked !== null && isPassedOn) permits.used(asked);
    else if (asked !== null) permits.withdraw(asked);
    asked = null;
    isPassedOn = false;
  }

  return {
    mayGoOn,
    end,
    async run(input, onAccepted) {
      for (;;) {
        isPassedOn ||= mayGoOn();
        const ran = await runInTurn(isPassedOn ? withPermit(input, asked) : input, onAccepted, { turns, standDown });
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
        if (asked === null || isPassedOn || keyOf(asked) !== keyOf(reservation)) {
          end();
          asked = reservation;
        }
        try {
          const reason = await permits.ask(reservation);
          if (reason !== null) return { state: 'parked', parked: { for: 'budget', reason, take }, ref, decisions };
        } catch (error) {
          if (!isCancellation(error)) throw error;
          return { state: 'cancelled' };
        }
      }
    },
  };
}

function withPermit({ task, ...input }: GenerateInput, asked: Reservation | null): GenerateInput {
  if (asked === null) return { ...input, task };
  const { takeKey, sending } = asked;
  return { ...input, task: { ...task, permit: { takeKey, sending } } };
}
