import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { GenerateInput, TakeOutcome, TaskFallback } from '../../contracts/workflows';
import { isTimeout, reasonOf } from '../temporal/activity-failures';
import { batchActivities } from '../temporal/activity-options';
import { runTake, type TakeSurroundings } from '../take/run-take';
import { openPreemption } from '../take/preempt-unsent';

/** A task that may use its batch's fallback. Without a fallback, this module adds no events to the history. */
export interface TimedTask {
  run(surroundings: Omit<TakeSurroundings, 'preemption'>): Promise<TakeOutcome>;
  /** Whether the task is rendered by the fallback. */
  isByFallback(): boolean;
}

/**
 * If there is a fallback, registers the signal by which the batch asks the row to switch to it. Call this before
 * anything is awaited.
 *
 * The task has two forms: as written, and by the fallback. In the ledger they are two requests, and each can be paid
 * for. So only this workflow decides between them, and only one run of this workflow exists at a time. A form that may
 * already be paid for is kept, however late the row is.
 */
export function openTimedTask(input: GenerateInput): TimedTask {
  const { fallback } = input;
  if (fallback === undefined) {
    return { isByFallback: () => false, run: (surroundings) => runTake(input, surroundings) };
  }
  const lowered = loweredTask(input, fallback);
  const preemption = openPreemption({ takes: 1 });
  let isByFallback = false;

  async function runFallback(surroundings: Omit<TakeSurroundings, 'preemption'>): Promise<TakeOutcome> {
    isByFallback = true;
    return { ...(await runTake(lowered, surroundings)), fallback: true };
  }
  return {
    isByFallback: () => isByFallback,
    async run(surroundings) {
      let paid: Awaited<ReturnType<typeof paidForm>>;
      try {
        paid = await paidForm(input, fallback);
      } catch (error) {
        if (isCancellation(error)) return { ...NOTHING, state: 'cancelled' };
        if (error instanceof ActivityFailure) return { ...NOTHING, state: 'failed', reason: reasonOf(error) };
        throw error;
      }
      if (paid === 'fallback' || (paid === null && fallback.isDue)) return runFallback(surroundings);
      const outcome = await runTake(input, { ...surroundings, preemption });
      const isWanted = preemption.wasPreempted() && !CancellationScope.current().consideredCancelled;
      return isWanted ? runFallback(surroundings) : outcome;
    },
  };
}

const NOTHING = { reason: null, take: null, output: null } as const;

/** Returns the form to keep, because it was sent before; null if either form may be sent. Waits for the store. */
async function paidForm(
  { task }: GenerateInput,
  { production: lowered }: TaskFallback,
): Promise<'written' | 'fallback' | null> {
  for (;;) {
    try {
      return await batchActivities().paidForm({ task, lowered });
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
  }
}

function loweredTask(
  { task, ...input }: GenerateInput,
  { production, model, mode, deadlineSeconds }: TaskFallback,
): GenerateInput {
  const turn = task.turn === undefined ? {} : { turn: { ...task.turn, deadlineSeconds } };
  return { ...input, model, mode, deadlineSeconds, task: { ...task, production, ...turn } };
}
