import { ActivityFailure, ApplicationFailure, CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { TakeRef } from '../contracts/take';
import { ANSWERS, type Decision } from '../contracts/decision';
import type { Parked } from '../contracts/workflows';
import { decisionActivities, reasonOf, studioActivities } from './activity-options';
import { resolveShotUpdate } from './messages';

/** Until when a parked take waits. */
export interface Patience {
  /** For ever, where undefined. */
  readonly limit: `${number} minutes` | undefined;
  /** Whether nobody needs to decide any more. */
  readonly isOver: () => boolean;
}

/** Where parked takes wait for a person, at no cost. */
export interface DecisionDesk {
  /** Parks until somebody decides, and returns what was decided and noted; null where nobody has, and patience is out. */
  waitFor(parked: Parked, take: TakeRef, patience: Patience): Promise<Decision | null>;
  parked(): readonly Parked[];
}

/** Registers the update by which people decide. To be called before anything is awaited. */
export function openDecisionDesk(): DecisionDesk {
  /** By take. */
  const seats = new Map<number, Seat>();

  /** The one that is meant; a text where that is not clear. */
  function seatFor(take: number | null): Seat | string {
    const waiting = [...seats.values()].filter(({ decided }) => decided === null);
    const numbers = waiting
      .map(({ ref }) => ref.take)
      .toSorted((a, b) => a - b)
      .join(', ');
    if (waiting.length === 0) return 'the shot is not parked; there is nothing to decide';
    if (take === null && waiting.length > 1) return `takes ${numbers} are parked; name the one that is meant`;
    const meant = take === null ? waiting[0] : waiting.find(({ ref }) => ref.take === take);
    return meant ?? `take ${take ?? ''} is not parked; parked is ${numbers}`;
  }

  setHandler(
    resolveShotUpdate,
    async (decision: Decision, take: number | null) => {
      const seat = seatFor(take);
      if (typeof seat === 'string') throw refused(seat);
      seat.isDeciding = true;
      try {
        await note(seat, decision);
        seat.decided = decision;
        return true;
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
        throw refused(`it could not be checked, and nothing has changed: ${reasonOf(error)}`);
      } finally {
        seat.isDeciding = false;
      }
    },
    {
      validator: (decision: Decision, take: number | null) => {
        const seat = seatFor(take);
        const reason = typeof seat === 'string' ? seat : objectionTo(decision, seat);
        if (reason !== undefined) throw refused(reason);
      },
    },
  );

  return {
    parked: () => [...seats.values()].map(({ parked }) => parked),
    async waitFor(parked, ref, { limit, isOver }) {
      // Another may wait for the same take, where a chosen one stands in.
      const seat: Seat = seats.get(ref.take) ?? { parked, ref, decided: null, isDeciding: false };
      seats.set(ref.take, seat);
      const isAnswered = (): boolean => seat.decided !== null || isOver();
      // A decision that is being noted is waited for.
      const isQuiet = (): boolean => !seat.isDeciding;
      try {
        if (limit === undefined) await condition(isAnswered);
        else await condition(isAnswered, limit);
        await condition(isQuiet);
        return seat.decided;
      } catch (error) {
        // Cancelled: who has just decided is told first what became of it.
        await CancellationScope.nonCancellable(() => condition(isQuiet));
        throw error;
      } finally {
        if (seats.get(ref.take) === seat) seats.delete(ref.take);
      }
    },
  };
}

interface Seat {
  readonly parked: Parked;
  readonly ref: TakeRef;
  decided: Decision | null;
  isDeciding: boolean;
}

function objectionTo(decision: Decision, { parked, isDeciding }: Seat): string | undefined {
  if (isDeciding) return 'another decision is being checked';
  const answers = ANSWERS[parked.for];
  if (answers.includes(decision.kind)) return undefined;
  return `a shot that is parked as ${parked.for} takes ${answers.join(', ')}, not ${decision.kind}`;
}

/** Prepares what the decision needs, then has it checked and noted. */
async function note({ parked, ref }: Seat, decision: Decision): Promise<void> {
  const output = decision.kind === 'use' ? await studioActivities().prepareClip({ asset: decision.asset }) : null;
  const noted = await decisionActivities().decide({ take: ref, parkedFor: parked.for, decision, by: 'person', output });
  if (!noted.recorded) throw refused(noted.reason);
}

function refused(reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, 'DecisionRefused');
}
