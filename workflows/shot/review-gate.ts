import { ActivityFailure, CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { takesInWords } from '../../contracts/commands';
import type { TakeProgress } from '../../contracts/render/take';
import type { Approval, ShotInput } from '../../contracts/workflows';
import { choose, type ChosenTake } from './choose-take';
import { reasonOf } from '../temporal/activity-failures';
import { failure } from '../temporal/fail';
import { approveShotUpdate } from '../messages';
import type { ShotReport } from './shot-report';

/** Holds a shot in review until a take is approved or the review's time is up. Waiting costs nothing. */
export interface ReviewGate {
  /**
   * Waits until a person approves a take, and returns this take. When the time is up, approves `chosen` or, if the file
   * says so, skips the shot and returns null. Does not wait if the shot has no review or `chosen` is approved already.
   *
   * @throws CancelledFailure if the shot is cancelled, but only after an approval in progress has ended; the errors of
   *   `choose`.
   */
  approved(chosen: ChosenTake): Promise<TakeProgress | null>;
}

/** Registers the update by which people approve. Call it before the first `await`. */
export function openReviewGate(input: ShotInput, report: ShotReport): ReviewGate {
  const { review } = input;
  let chosen: TakeProgress | null = null;
  let approved: TakeProgress | null = null;
  let isRecording = false;
  /** True once the review is cancelled or has ended without an approval. */
  let isOver = false;
  const isAnswered = (): boolean => approved !== null;
  const isIdle = (): boolean => !isRecording;

  async function record(take: TakeProgress, by: 'person' | 'default'): Promise<TakeProgress> {
    isRecording = true;
    try {
      const recorded = await choose(input, take, by);
      approved = recorded.take;
      return recorded.take;
    } finally {
      isRecording = false;
      if (by === 'default') isOver = approved === null;
    }
  }

  /** Returns the take that an approval names, or the reason why the take cannot be approved. */
  function takeFor({ take: number }: Approval): TakeProgress | string {
    if (review === null) return 'the shot is not reviewed; there is nothing to approve';
    if (approved !== null) return `take ${approved.take} is approved already`;
    if (chosen === null) return 'no take has completed yet; there is nothing to approve';
    if (isRecording) return 'another answer is being recorded';
    const takes = report.takes();
    const named = takes.get(number ?? chosen.take);
    if (named === undefined) return `the shot has no take ${number ?? ''} now; it has ${takesInWords(takes.keys())}`;
    return named.state === 'completed' ? named : `take ${named.take} has not completed: it is ${named.state}`;
  }

  setHandler(
    approveShotUpdate,
    async (approval: Approval) => {
      const take = takeFor(approval);
      if (typeof take === 'string') throw failure('ApprovalRefused', take);
      try {
        return (await record(take, 'person')).take;
      } catch (error) {
        if (error instanceof ActivityFailure)
          throw failure(
            'ApprovalRefused',
            `it is unknown whether the approval was recorded: ${reasonOf(error)}. Approve again`,
          );
        throw error;
      }
    },
    {
      validator: (approval: Approval) => {
        // `takeFor` does not check `isOver`: in replays, the handler must accept late approvals of older histories.
        const take = isOver ? 'the review is over' : takeFor(approval);
        if (typeof take === 'string') throw failure('ApprovalRefused', take);
      },
    },
  );

  return {
    async approved(first) {
      if (review === null || first.approved) return (approved = first.take);
      chosen = first.take;
      const { withinSeconds, otherwise } = review;
      try {
        if (withinSeconds === null) await condition(isAnswered);
        else if (!(await condition(isAnswered, `${withinSeconds} seconds`))) await condition(isIdle);
      } catch (error) {
        isOver = true;
        await CancellationScope.nonCancellable(() => condition(isIdle));
        throw error;
      }
      if (approved !== null) return approved;
      if (otherwise !== 'skip') return record(first.take, 'default');
      isOver = true;
      return null;
    },
  };
}
