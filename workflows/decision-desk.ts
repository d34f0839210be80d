import { ActivityFailure, ApplicationFailure, CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { TakeRef } from '../contracts/take';
import { ANSWERS, type Decision } from '../contracts/decision';
import type { Parked } from '../contracts/workflows';
import { decisionActivities, reasonOf, studioActivities } from './activity-options';
import { resolveShotUpdate } from './messages';

/** Where a parked shot waits for a person, at no cost. */
export interface DecisionDesk {
  /**
   * Parks until somebody decides, and returns what was decided and noted.
   *
   * @param limit after which it returns null, though nobody has decided; without one it waits for ever.
   */
  waitFor(parked: Parked, take: TakeRef, limit: `${number} minutes` | undefined): Promise<Decision | null>;
  parked(): Parked | null;
}

/** Registers the update by which people decide. To be called before anything is awaited. */
export function openDecisionDesk(): DecisionDesk {
  let waiting: Waiting | null = null;
  let decided: Decision | null = null;
  let isDeciding = false;

  function refusal(decision: Decision): string | undefined {
    if (waiting === null || decided !== null) return 'the shot is not parked; there is nothing to decide';
    if (isDeciding) return 'another decision is being checked';
    const answers = ANSWERS[waiting.parked.for];
    if (answers.includes(decision.kind)) return undefined;
    return `a shot that is parked as ${waiting.parked.for} takes ${answers.join(', ')}, not ${decision.kind}`;
  }

  setHandler(
    resolveShotUpdate,
    async (decision: Decision) => {
      if (waiting === null) throw refused('the shot is not parked any more');
      isDeciding = true;
      try {
        await note(waiting, decision);
        decided = decision;
        return true;
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
        throw refused(`it could not be checked, and nothing has changed: ${reasonOf(error)}`);
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
    async waitFor(parked, take, limit) {
      waiting = { parked, take };
      try {
        if (limit === undefined) await condition(() => decided !== null);
        // A decision that is being noted is waited for.
        else if (!(await condition(() => decided !== null, limit))) await condition(() => !isDeciding);
        return decided;
      } catch (error) {
        // Cancelled: who has just decided is told first what became of it.
        await CancellationScope.nonCancellable(() => condition(() => !isDeciding));
        throw error;
      } finally {
        waiting = null;
        decided = null;
      }
    },
  };
}

interface Waiting {
  readonly parked: Parked;
  readonly take: TakeRef;
}

/** Prepares what the decision needs, then has it checked and noted. */
async function note({ parked, take }: Waiting, decision: Decision): Promise<void> {
  const output = decision.kind === 'use' ? await studioActivities().prepareClip({ asset: decision.asset }) : null;
  const noted = await decisionActivities().decide({ take, parkedFor: parked.for, decision, by: 'person', output });
  if (!noted.recorded) throw refused(noted.reason);
}

function refused(reason: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(reason, 'DecisionRefused');
}
