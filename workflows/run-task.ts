import { ActivityFailure, CancellationScope, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { SubmitOutcome, TakeOutput, TaskOutcome } from '../contracts/activities';
import type { TakeProgress } from '../contracts/take';
import type { ShotInput, ShotOutcome } from '../contracts/workflows';
import { collectActivities, pollActivities, studioActivities, submitActivities } from './activity-options';

/** Time for the one read after the deadline, with its repeats. */
const LAST_READ_SECONDS = 600;

type Accepted = Extract<SubmitOutcome, { state: 'accepted' }>;

/** Called when the take's state has changed. */
export type OnProgress = (take: TakeProgress) => void;

/**
 * One task from the wish to the stored asset: submit, await, store, last frame.
 *
 * Until the gateway has accepted it the task can be cancelled at no cost. From then on it is paid for, and whatever
 * happens it is awaited and collected.
 */
export async function runTask(input: ShotInput, onProgress: OnProgress): Promise<ShotOutcome> {
  try {
    const submitted = await submit(input);
    const take = progressOf(submitted);
    onProgress(take);
    switch (submitted.state) {
      case 'accepted':
        return await CancellationScope.nonCancellable(() => collect(input, submitted, take));
      case 'completed':
        return { state: 'completed', reason: null, take, output: submitted.output };
      case 'unclear':
        return { state: 'parked', reason: `unclear whether it was accepted: ${submitted.reason}`, take, output: null };
      case 'failed':
      case 'refused':
        return { state: 'failed', reason: submitted.reason, take, output: null };
    }
  } catch (error) {
    if (!isCancellation(error) && !(error instanceof ActivityFailure)) throw error;
    // A submit that was refused for now is not repeated once it is cancelled, and ends with the refusal.
    const isCancelled = isCancellation(error) || CancellationScope.current().consideredCancelled;
    if (isCancelled || !(error instanceof ActivityFailure)) {
      return { state: 'cancelled', reason: null, take: null, output: null };
    }
    return { state: 'failed', reason: reasonOf(error), take: null, output: null };
  }
}

function submit({ task, mode }: ShotInput): Promise<SubmitOutcome> {
  const { submitTask, executeTask } = submitActivities();
  return mode === 'submit' ? submitTask(task) : executeTask(task);
}

async function collect(input: ShotInput, submitted: Accepted, accepted: TakeProgress): Promise<ShotOutcome> {
  const { take, taskId } = submitted;
  const ended = await awaitEnd(input, submitted);
  if (ended.state === 'pending') {
    const reason = `task ${taskId} has not ended within ${input.deadlineSeconds} s`;
    return { state: 'parked', reason, take: accepted, output: null };
  }
  const settled = { ...accepted, state: ended.state, credits: ended.credits };
  if (ended.state === 'failed') return { state: 'failed', reason: ended.reason, take: settled, output: null };
  try {
    const stored = await collectActivities().storeOutput({
      take,
      taskId,
      production: input.task.production,
      output: input.output,
    });
    const output = input.output === 'video' ? await withLastFrame(submitted, stored) : stored;
    return { state: 'completed', reason: null, take: { ...settled, ...output }, output };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { state: 'failed', reason: reasonOf(error), take: settled, output: null };
  }
}

/** Polls until the deadline; then one last read decides, so that hours in which nothing ran make no task overdue. */
async function awaitEnd({ deadlineSeconds }: ShotInput, { take, taskId, acceptedAt }: Accepted): Promise<TaskOutcome> {
  const task = { take, taskId, acceptedAt };
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

/** A clip without a last frame is still a clip; only a shot that starts on that frame cannot be rendered. */
async function withLastFrame({ take, taskId }: Accepted, output: TakeOutput): Promise<TakeOutput> {
  try {
    return { ...output, lastFrame: await studioActivities().lastFrame({ take, taskId, output }) };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { ...output, warnings: [...output.warnings, `it has no last frame: ${reasonOf(error)}`] };
  }
}

function progressOf(submitted: SubmitOutcome): TakeProgress {
  const { take, takeKey } = submitted.take;
  const none = { taskId: null, credits: null, asset: null, firstFrame: null, lastFrame: null, warnings: [] };
  switch (submitted.state) {
    case 'accepted':
      return { ...none, take, takeKey, state: 'rendering', taskId: submitted.taskId };
    case 'completed':
      return {
        take,
        takeKey,
        state: 'completed',
        taskId: submitted.taskId,
        credits: submitted.credits,
        ...submitted.output,
      };
    case 'failed':
      return { ...none, take, takeKey, state: 'failed', taskId: submitted.taskId, credits: submitted.credits };
    case 'refused':
      return { ...none, take, takeKey, state: 'failed' };
    case 'unclear':
      return { ...none, take, takeKey, state: 'unclear' };
  }
}

/** Where the next attempt would come too late, the server gives up at once, and the cause is the last failure. */
function isTimeout(error: unknown): boolean {
  return error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure);
}

/** The words of the failure that ended an activity, or of the last one before its time ran out. */
function reasonOf(failure: ActivityFailure): string {
  const { cause } = failure;
  if (cause instanceof TimeoutFailure && cause.cause !== undefined) return cause.cause.message;
  return cause?.message ?? failure.message;
}
