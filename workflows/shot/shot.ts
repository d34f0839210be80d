import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import type { ShotInput, ShotOutcome, TakeOutcome } from '../../contracts/workflows';
import { reasonOf } from '../temporal/activity-failures';
import { choose, chosenBefore, type ChosenTake, hasNoChoice } from './choose-take';
import { openDecisionHandler } from '../take/decision-handler';
import { openReviewGate, type ReviewGate } from './review-gate';
import { openBudgetClient } from '../take/budget-client';
import { openPreemption } from '../take/preempt-unsent';
import { ShotReport } from './shot-report';
import { startTakes, type Takes } from './takes';
import { openLeaseClient } from '../take/lease-client';

/**
 * One shot of a production: pays for its takes, awaits them and collects them. The first take that completes is chosen,
 * unless a person decides otherwise. Shots that start with a frame of the chosen take do not wait for the other takes.
 *
 * A take that needs a person's decision is parked until the decision, or until another take is chosen. A shot in review
 * waits for an approval. Waiting costs nothing. A shot is a workflow of its own, so that it can be found, watched and
 * reset separately, and survives a reset of its production. The workflow ends with an outcome, never with an error.
 */
export async function shot(input: ShotInput): Promise<ShotOutcome> {
  const budgetClient = openBudgetClient();
  const leaseClient = openLeaseClient();
  const report = new ShotReport(input, budgetClient);
  const decisionHandler = openDecisionHandler();
  const reviews = openReviewGate(input, report);
  const preemption = openPreemption(input);

  const takes = startTakes(input, { decisionHandler, budgetClient, leaseClient, report, preemption });
  const result = await resultOf(input, takes, reviews, report);
  takes.settle();
  const ended = await takes.ended;
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  const reportedTakes = [...report.takes().values()];
  const outcome: ShotOutcome = preemption.wasPreempted()
    ? { ...PREEMPTED, takes: reportedTakes }
    : {
        ...(result === null ? outcomeWithoutTake(input, ended) : withUncollected(result, ended)),
        takes: reportedTakes,
      };
  await report.ended(outcome);
  return outcome;
}

/** Preempted: nothing was sent, and the production continues with the shot's fallback. */
const PREEMPTED = {
  state: 'cancelled',
  reason: 'is rendered by the fallback',
  filmTake: null,
  stoodDown: true,
} as const;

type Result = Omit<ShotOutcome, 'takes'>;

/** The shot's outcome from its chosen take; null if all takes have ended and none has completed. */
async function resultOf(
  input: ShotInput,
  takes: Takes,
  reviews: ReviewGate,
  report: ShotReport,
): Promise<Result | null> {
  try {
    const chosen = await chosenTake(input, takes);
    if (chosen === null) return null;
    if (input.review !== null && !chosen.approved) report.chosen(chosen.take, true);
    const approved = await reviews.approved(chosen);
    if (approved === null) return { state: 'skipped', reason: 'nobody approved it in time', filmTake: null };
    report.chosen(approved, false);
    return { state: 'completed', reason: null, filmTake: approved.take };
  } catch (error) {
    if (isCancellation(error)) return { state: 'cancelled', reason: 'waited for an approval', filmTake: null };
    if (error instanceof ActivityFailure) return { state: 'failed', reason: reasonOf(error), filmTake: null };
    if (error instanceof ApplicationFailure) return { state: 'failed', reason: error.message, filmTake: null };
    throw error;
  }
}

/** If a completed shot has paid takes whose output was not collected, its `reason` names them. */
function withUncollected(result: Result, takes: readonly TakeOutcome[]): Result {
  const left = takes.flatMap(({ isLeft, take, reason }) =>
    isLeft === true ? [`take ${take?.take ?? 0}: ${reason ?? ''}`] : [],
  );
  if (result.state !== 'completed' || left.length === 0) return result;
  return { ...result, reason: `${left.join('; ')}; another render tries again to collect it, at no cost` };
}

async function chosenTake(input: ShotInput, takes: Takes): Promise<ChosenTake | null> {
  try {
    const before = input.directed ? await chosenBefore(input) : null;
    if (before !== null) return before;
    const first = await takes.first;
    if (first === null) return null;
    return hasNoChoice(input) ? { take: first, approved: true } : await choose(input, first, 'first');
  } finally {
    takes.release();
  }
}

/** The outcome of a shot without a completed take. */
function outcomeWithoutTake({ onFailure }: ShotInput, takes: readonly TakeOutcome[]): Result {
  const worst = RANK.map((state) => takes.find((take) => take.state === state)).find((take) => take !== undefined);
  const { state = 'failed', reason = null } = worst ?? {};
  return { state: state === 'failed' && onFailure === 'skip' ? 'skipped' : state, reason, filmTake: null };
}

/**
 * The shot gets the first of these states that any of its takes has. A cancelled shot may be continued later, so
 * `cancelled` comes before `failed`.
 */
const RANK = ['cancelled', 'failed', 'skipped'] as const;
