import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import { PASSED_OVER } from '../../contracts/decision';
import type { TakeProgress } from '../../contracts/take';
import type { GenerateInput, Parked, TakeOutcome } from '../../contracts/workflows';
import { decisionActivities } from '../temporal/activity-options';
import { openBudgetedTask } from './run-with-budget';
import type { ParkedRun, TaskRun } from './collect-task';
import type { DecisionHandler, HandledDecision } from './decision-handler';
import { isContentRefusal } from './failed-task';
import type { BudgetClient } from './budget-client';
import { NEVER_PREEMPTED, type Preemption } from './preempt-unsent';
import type { LeaseClient } from './lease-client';

/**
 * When to ask the ledger again about an unclear take without a decision. A sender that was suspended or could not write
 * may record its answer late, and then the shot continues by itself.
 */
const LATE_ANSWERS = ['2 minutes', '60 minutes'] as const;

export interface TakeListener {
  accepted(take: TakeProgress): void;
  /** It failed, and another take follows automatically. */
  followed(take: TakeProgress): void;
  parked(parked: Parked): void;
  /** It continues after it was parked. */
  resumed(take: TakeProgress): void;
}

/**
 * Whether the shot continues without a take that is parked for this reason. The take then ends without a decision, as
 * it is in the ledger.
 */
type IsSpare = (parkedFor: Parked['for']) => boolean;

/** The parts of a shot that its takes need. */
export interface TakeSurroundings {
  readonly decisionHandler: DecisionHandler;
  readonly budgetClient: BudgetClient;
  readonly leaseClient: LeaseClient;
  readonly listener: TakeListener;
  /** Default: never. */
  readonly isSpare?: IsSpare;
  /** Default: never. */
  readonly preemption?: Preemption;
  /**
   * Whether a take that waits for credits should be tried again; nothing of it was accepted. Default: a person decides.
   */
  readonly isRenewed?: () => boolean;
}

/**
 * Runs one of a shot's takes to its end: a task, further tasks if the file allows them, and otherwise a person's
 * decision.
 *
 * Nothing is paid for twice without a record. A further take has a higher `attempt`, and a person's decision is in the
 * ledger, where the next run of the task finds it.
 */
export async function runTake(
  input: GenerateInput,
  {
    decisionHandler,
    budgetClient,
    leaseClient,
    listener,
    isSpare = () => false,
    preemption = NEVER_PREEMPTED,
    isRenewed = () => false,
  }: TakeSurroundings,
): Promise<TakeOutcome> {
  const task = openBudgetedTask({ budgetClient, leaseClient, preemption });
  let { attempt } = input.task;
  let furtherTakes = input.retryFailed;
  let looks = LATE_ANSWERS.values();

  for (;;) {
    const ran = await task.run({ ...input, task: { ...input.task, attempt } }, (take) => {
      preemption.sent();
      listener.accepted(take);
    });
    if (ran.state !== 'cancelled' && !isUnsent(ran)) preemption.sent();
    if (ran.state !== 'parked') return ended(ran);
    const isLeft = (): boolean => isSpare(ran.parked.for);
    if (isLeft()) return leave(ran);

    if (ran.parked.for === 'failed' && furtherTakes > 0 && !isContentRefusal(ran.parked.reason)) {
      furtherTakes -= 1;
      attempt += 1;
      listener.followed(ran.parked.take);
      continue;
    }
    if (ran.parked.for === 'unclear' && input.onUnclear === 'resubmit' && (await mayResubmit(ran))) continue;
    if (input.onFailure !== 'park' && PASSED_OVER.has(ran.parked.for)) return leave(ran);

    try {
      listener.parked(ran.parked);
      const limit = ran.parked.for === 'unclear' ? looks.next().value : undefined;
      const isTriedAgain = (): boolean => ran.parked.for === 'credits' && isRenewed();
      const wait = (hasEnded: () => boolean): Promise<HandledDecision> =>
        decisionHandler.waitFor(ran, {
          limit,
          isOver: () => hasEnded() || isLeft() || task.mayGoOn() || isTriedAgain(),
        });
      const answer = await (isUnsent(ran) ? preemption.whileUnsent(wait) : wait(() => false));
      if (answer === 'none' && preemption.wasPreempted()) return leave(ran);
      if (answer === 'none' && isLeft()) return leave(ran);
      if (answer === 'none' && !task.mayGoOn() && !isTriedAgain()) continue;
      looks = LATE_ANSWERS.values();
      if (answer === 'skip') {
        task.end();
        return { ...NOTHING, state: 'skipped', reason: `skipped: ${ran.parked.reason}` };
      }
      listener.resumed(ran.parked.take);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return { ...NOTHING, state: 'cancelled', reason: `was parked: ${ran.parked.reason}`, take: ran.parked.take };
    }
  }

  function leave(ran: ParkedRun): TakeOutcome {
    task.end();
    return asItIs(ran);
  }
}

const NOTHING = { reason: null, take: null, output: null };

/**
 * Whether the file's policy sends an unclear take again, which the ledger allows once.
 *
 * If the decision cannot be recorded or the shot is cancelled, the take is parked, and the takes side by side with it
 * continue.
 */
async function mayResubmit({ parked, ref, decisions }: ParkedRun): Promise<boolean> {
  const input = {
    take: ref,
    seen: decisions,
    parkedFor: parked.for,
    decision: { kind: 'resubmit' },
    by: 'policy',
    output: null,
    taskId: parked.take.taskId,
  } as const;
  try {
    const noted = await decisionActivities('policy').decide(input);
    return noted.recorded || noted.isOutdated;
  } catch (error) {
    if (isCancellation(error) || error instanceof ActivityFailure) return false;
    throw error;
  }
}

/** A take that waits for the budget was never sent. An earlier one in its place was reported before. */
function isUnsent(ran: { readonly state: string; readonly parked?: Parked }): boolean {
  return ran.parked?.for === 'budget';
}

function ended(ran: Exclude<TaskRun, { state: 'parked' | 'unreserved' | 'unleased' }>): TakeOutcome {
  switch (ran.state) {
    case 'completed':
      return { ...NOTHING, state: 'completed', take: ran.take, output: ran.output };
    case 'failed':
      return { ...NOTHING, state: 'failed', reason: ran.reason, take: ran.take };
    case 'skipped':
      return { ...NOTHING, state: 'skipped', reason: ran.reason };
    case 'cancelled':
      return { ...NOTHING, state: 'cancelled' };
  }
}

function asItIs({ parked: { for: parkedFor, reason, take } }: ParkedRun): TakeOutcome {
  const isLeft = take.taskId !== null && (parkedFor === 'overdue' || parkedFor === 'uncollected');
  return { ...NOTHING, state: 'failed', reason, take, ...(isLeft ? { isLeft } : {}) };
}
