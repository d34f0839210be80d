import { ActivityFailure, ApplicationFailure, CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { TakeOutput } from '../contracts/activities';
import { ANSWERS, type Decision } from '../contracts/decision';
import type { Parked } from '../contracts/workflows';
import { decisionActivities, preparingActivities, reasonOf } from './activity-options';
import { resolveShotUpdate } from './messages';
import type { ParkedRun } from './run-task';

/**
 * What was decided and noted. `unknown`: the ledger may know more than this workflow, and says how the shot goes on.
 * `none`: nobody has decided in time.
 */
export type DeskAnswer = Decision['kind'] | 'unknown' | 'none';

/** Where a parked shot waits for a person, at no cost. */
export interface DecisionDesk {
  /**
   * Parks until somebody decides.
   *
   * @param limit after which it returns `none`; without one it waits for ever.
   */
  waitFor(ran: ParkedRun, limit: `${number} minutes` | undefined): Promise<DeskAnswer>;
  parked(): Parked | null;
}

/** Registers the update by which people decide. To be called before anything is awaited. */
export function openDecisionDesk(): DecisionDesk {
  let waiting: ParkedRun | null = null;
  let answer: DeskAnswer = 'none';
  let isDeciding = false;

  function refusal(decision: Decision): string | undefined {
    if (waiting === null || answer !== 'none') return 'the shot is not parked; there is nothing to decide';
    if (isDeciding) return 'another decision is being checked';
    const answers = ANSWERS[waiting.parked.for];
    if (answers.includes(decision.kind)) return undefined;
    return `a shot that is parked as ${waiting.parked.for} takes ${answers.join(', ')}, not ${decision.kind}`;
  }

  /** Has the decision checked and noted. @throws the reason why it does not hold. */
  async function take(ran: ParkedRun, decision: Decision): Promise<void> {
    const output = await prepare(decision);
    const { parked, ref, decisions: seen } = ran;
    try {
      const noted = await decisionActivities('person').decide({
        take: ref,
        seen,
        parkedFor: parked.for,
        decision,
        by: 'person',
        output,
      });
      if (noted.recorded) answer = decision.kind;
      else {
        if (noted.isOutdated) answer = 'unknown';
        throw refused(noted.reason);
      }
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      // It may have been noted by a worker that could not say so any more.
      answer = 'unknown';
      throw refused(
        `nobody can say whether it was noted: ${reasonOf(error)}. The shot goes on by what the ledger has; ` +
          'look at where it stands before you decide again',
      );
    }
  }

  setHandler(
    resolveShotUpdate,
    async (decision: Decision) => {
      if (waiting === null) throw refused('the shot is not parked any more');
      isDeciding = true;
      try {
        await take(waiting, decision);
        return true;
      } finally {
        isDeciding = false;
      }
    },
    {
      validator: (decision: Decision) => {
        const reason = refusal(decision);
        if (reason !== undefined) throw refused(reason);
      },
    },
  );

  return {
    parked: () => waiting?.parked ?? null,
    async waitFor(ran, limit) {
      waiting = ran;
      answer = 'none';
      try {
        if (limit === undefined) await condition(() => answer !== 'none');
        // A decision that is being noted is waited for.
        else if (!(await condition(() => answer !== 'none', limit))) await condition(() => !isDeciding);
        return answer;
      } catch (error) {
        // Cancelled: who has just decided is told first what became of it.
        await CancellationScope.nonCancellable(() => condition(() => !isDeciding));
        throw error;
      } finally {
        waiting = null;
      }
    },
  };
}

/** The clip of a person's own, with what a take would have left beside it. */
async function prepare(decision: Decision): Promise<TakeOutput | null> {
  if (decision.kind !== 'use') return null;
  try {
    return await preparingActivities().prepareClip({ asset: decision.asset });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    throw refused(`the clip cannot be used, and nothing has changed: ${reasonOf(error)}`);
  }
}

function refused(reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, 'DecisionRefused');
}
