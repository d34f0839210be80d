import { ActivityFailure, ApplicationFailure, CancellationScope } from '@temporalio/workflow';
import type { AskedTask, SubmitOutcome, TakeOutput, TaskOutcome } from '../../contracts/activities';
import type { AskedLease } from '../../contracts/gateway/arbiter';
import type { Reservation } from '../../contracts/money/budget';
import type { FailureType } from '../../contracts/failures';
import type { TakeProgress, TakeRef } from '../../contracts/render/take';
import type { GenerateInput, Parked } from '../../contracts/workflows';
import { isTimeout, reasonOf } from '../temporal/activity-failures';
import { collectActivities, pollActivities, studioActivities } from '../temporal/activity-options';

/** Time for the single read after the deadline, including its retries. */
const LAST_READ_SECONDS = 600;

type Accepted = SubmitOutcome & { readonly state: 'accepted' };

/** Outcome of one run of a task. A parked run waits for a decision about its take. */
export type TaskRun =
  | { readonly state: 'completed'; readonly take: TakeProgress; readonly output: TakeOutput }
  | {
      readonly state: 'failed';
      readonly take: TakeProgress | null;
      readonly reason: string;
      /** True if the gateway certainly did not accept the task, so that nothing can be charged. */
      readonly isUnpaid: boolean;
    }
  | ParkedRun
  | { readonly state: 'skipped'; readonly reason: string }
  /** The production's budget has to allow the next sending first. */
  | {
      readonly state: 'unreserved';
      readonly reservation: Reservation;
      readonly take: TakeProgress;
      readonly ref: TakeRef;
      readonly decisions: number;
    }
  /**
   * The task has to be sent, but not now. `isAsked` is true if a lease was requested from the arbiter, and false if
   * something else delays the take.
   */
  | { readonly state: 'unleased'; readonly wanted: AskedLease; readonly isAsked: boolean }
  | { readonly state: 'cancelled' };

export interface ParkedRun {
  readonly state: 'parked';
  readonly parked: Parked;
  readonly ref: TakeRef;
  /** Number of decisions recorded for the take. */
  readonly decisions: number;
}

export type OnAccepted = (take: TakeProgress) => void;

/**
 * Follows a submit's outcome to its end. An accepted task is paid for, so it is awaited and collected even after a
 * cancellation.
 */
export async function collectTask(
  input: GenerateInput,
  submitted: SubmitOutcome,
  onAccepted: OnAccepted,
): Promise<TaskRun> {
  const { take: ref, decisions } = submitted;
  const take = progressOf(submitted);
  switch (submitted.state) {
    case 'accepted':
      onAccepted(take);
      return await CancellationScope.nonCancellable(() => collect(input, submitted, take));
    case 'completed':
      return { state: 'completed', take, output: submitted.output };
    case 'unclear':
    case 'uncollected':
    case 'failed':
      return { state: 'parked', parked: { for: submitted.state, reason: submitted.reason, take }, ref, decisions };
    case 'skipped':
      return { state: 'skipped', reason: submitted.reason };
    case 'unreserved':
      return { state: 'unreserved', reservation: submitted.reservation, take, ref, decisions };
    case 'unleased':
      return { state: 'unleased', wanted: submitted.wanted, isAsked: submitted.isAsked };
    case 'refused':
      if (submitted.kind === 'input') return { state: 'failed', reason: submitted.reason, take, isUnpaid: true };
      return { state: 'parked', parked: { for: 'credits', reason: submitted.reason, take }, ref, decisions };
  }
}

async function collect(input: GenerateInput, submitted: Accepted, accepted: TakeProgress): Promise<TaskRun> {
  const { take: ref, taskId, decisions } = submitted;
  const ended = await awaitEnd(input, submitted);
  if (ended.state === 'pending') {
    const reason = `task ${taskId} has not ended within ${input.deadlineSeconds} s`;
    return { state: 'parked', parked: { for: 'overdue', reason, take: accepted }, ref, decisions };
  }
  const take = { ...accepted, state: ended.state, credits: ended.credits };
  if (ended.state === 'failed') {
    return { state: 'parked', parked: { for: 'failed', reason: ended.reason, take }, ref, decisions };
  }
  try {
    const { production } = input.task;
    const asked = askedTask(input);
    const task = { take: ref, taskId, production, output: input.output, asked };
    const stored = await collectActivities().storeOutput(task);
    const lacksLastFrame = input.output === 'video' && stored.lastFrame === null;
    const output = lacksLastFrame ? await withLastFrame(submitted, stored, asked) : stored;
    return { state: 'completed', take: { ...take, ...output }, output };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const reason = `task ${taskId} is paid for, and its output could not be collected: ${reasonOf(error)}`;
    // A decision does not help: a person must declare the model's output in the file or by a flag, and render again.
    // The new render collects this task at no cost.
    if (isOfOtherKind(error)) return { state: 'failed', reason, take, isUnpaid: false };
    return { state: 'parked', parked: { for: 'uncollected', reason, take }, ref, decisions };
  }
}

function isOfOtherKind({ cause }: ActivityFailure): boolean {
  return cause instanceof ApplicationFailure && cause.type === ('OutputOfOtherKind' satisfies FailureType);
}

/** Polls until the deadline. One last read then decides, so that time without a worker does not make a task overdue. */
async function awaitEnd(input: GenerateInput, { take, taskId, acceptedAt }: Accepted): Promise<TaskOutcome> {
  const { deadlineSeconds } = input;
  const task = { take, taskId, acceptedAt, asked: askedTask(input) };
  try {
    return await pollActivities(deadlineSeconds).awaitTask({ ...task, lastRead: false });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  }
  try {
    return await pollActivities(LAST_READ_SECONDS).awaitTask({ ...task, lastRead: true });
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return { state: 'pending' };
  }
}

/** A clip without a last frame remains usable. Only a shot that starts on that frame cannot be rendered. */
async function withLastFrame({ take, taskId }: Accepted, output: TakeOutput, asked: AskedTask): Promise<TakeOutput> {
  try {
    return { ...output, lastFrame: await studioActivities().lastFrame({ take, taskId, output, asked }) };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { ...output, warnings: [...output.warnings, `it has no last frame: ${reasonOf(error)}`] };
  }
}

/** The facts from which the take can be restored if the ledger loses it. */
function askedTask({ task: { production, renderId, attempt, sibling, links } }: GenerateInput): AskedTask {
  const origins = links.map(({ shot, frame, takeKey }) => ({ shot, frame, takeKey }));
  return { production, renderId, attempt, sibling, links: origins };
}

function progressOf(submitted: SubmitOutcome): TakeProgress {
  const { take, takeKey } = submitted.take;
  const none = { taskId: null, credits: null, asset: null, firstFrame: null, lastFrame: null, warnings: [] };
  switch (submitted.state) {
    case 'accepted':
      return { ...none, take, takeKey, state: 'rendering', taskId: submitted.taskId };
    case 'completed': {
      const { taskId, credits, output } = submitted;
      return { take, takeKey, state: 'completed', taskId, credits, ...output };
    }
    case 'failed':
      return { ...none, take, takeKey, state: 'failed', taskId: submitted.taskId, credits: submitted.credits };
    case 'refused':
    case 'uncollected':
    case 'skipped':
      return { ...none, take, takeKey, state: 'failed' };
    case 'unclear':
      return { ...none, take, takeKey, state: 'unclear' };
    case 'unreserved':
    case 'unleased':
      return { ...none, take, takeKey, state: 'submitting' };
  }
}
