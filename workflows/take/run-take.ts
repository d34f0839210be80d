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
 * When the ledger is asked again about an unclear take that nobody has decided on: a sender that stood still, or could
 * not write, may note its answer late, and then the shot goes on by itself.
 */
const LATE_ANSWERS = ['2 minutes', '60 minutes'] as const;

/** Told what becomes of a take on the way. */
export interface TakeListener {
  accepted(take: TakeProgress): void;
  /** It failed, and another one follows by itself. */
  followed(take: TakeProgress): void;
  parked(parked: Parked): void;
  /** Goes on after it was parked. */
  resumed(take: TakeProgress): void;
}

/** Whether the shot goes on without one that is parked so: then it is asked about no more, and ends as it is in the ledger. */
type IsSpare = (parkedFor: Parked['for']) => boolean;

/** The shot that a take is of, as far as its takes need it. */
export interface TakeSurroundings {
  readonly decisionHandler: DecisionHandler;
  readonly budgetClient: BudgetClient;
  readonly leaseClient: LeaseClient;
  readonly listener: TakeListener;
  /** Default: never. */
  readonly isSpare?: IsSpare;
  /** Default: nobody asks it to. */
  readonly preemption?: Preemption;
  /** Whether a take that waits for credits is to be tried again: nothing of it was accepted. Default: a person decides. */
  readonly isRenewed?: () => boolean;
}

/**
 * Takes one of a shot's takes to its end: a task, further ones where the production's file allows them, and where none
 * is allowed, a person's decision.
 *
 * Nothing is paid for twice here without a record: a further take has a higher `attempt`, and whatever a person decides
 * is in the ledger, where the next run of the task finds it.
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
 * The file's policy sends an unclear take again, at most once; the ledger refuses a second time. Where it cannot be
 * noted, or the shot is cancelled, the take is parked like every other: those side by side with it go on.
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

/** What waits for the budget was never sent; what was before in its place is told by then. */
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
