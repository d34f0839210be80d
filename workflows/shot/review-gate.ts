import { ActivityFailure, CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { takesInWords } from '../../contracts/commands';
import type { TakeProgress } from '../../contracts/take';
import type { Approval, ShotInput } from '../../contracts/workflows';
import { choose, type ChosenTake } from './choose-take';
import { reasonOf } from '../temporal/activity-failures';
import { failure } from '../temporal/fail';
import { approveShotUpdate } from '../messages';
import type { ShotReport } from './shot-report';

/** Lets a shot in review wait for a person at no cost. */
export interface ReviewGate {
  /**
   * Waits until a take is approved, by a person or because the time is up, and returns it; null if the shot is skipped
   * instead.
   *
   * @throws CancelledFailure, after a person who has just approved got an answer; and the errors of `choose`.
   */
  approved(chosen: ChosenTake): Promise<TakeProgress | null>;
}

/** Registers the update by which people approve. To be called before anything is awaited. */
export function openReviewGate(input: ShotInput, report: ShotReport): ReviewGate {
  const { review } = input;
  let chosen: TakeProgress | null = null;
  let approved: TakeProgress | null = null;
  let isNoting = false;
  const isAnswered = (): boolean => approved !== null;
  const isQuiet = (): boolean => !isNoting;

  async function note(take: TakeProgress, by: 'person' | 'default'): Promise<TakeProgress> {
    isNoting = true;
    try {
      const stands = await choose(input, take, by);
      approved = stands.take;
      return stands.take;
    } finally {
      isNoting = false;
    }
  }

  /** Returns the take that is meant, or a message if there is none. */
  function takeFor({ take: number }: Approval): TakeProgress | string {
    if (review === null) return 'the shot is not reviewed; there is nothing to approve';
    if (approved !== null) return `take ${approved.take} is approved already`;
    if (chosen === null) return 'no take has completed yet; there is nothing to approve';
    if (isNoting) return 'another answer is being noted';
    const takes = report.takes();
    const meant = takes.get(number ?? chosen.take);
    if (meant === undefined) return `the shot has no take ${number ?? ''} now; it has ${takesInWords(takes.keys())}`;
    return meant.state === 'completed' ? meant : `take ${meant.take} has not completed: it is ${meant.state}`;
  }

  setHandler(
    approveShotUpdate,
    async (approval: Approval) => {
      const take = takeFor(approval);
      if (typeof take === 'string') throw failure('ApprovalRefused', take);
      try {
        return (await note(take, 'person')).take;
      } catch (error) {
        if (error instanceof ActivityFailure)
          throw failure('ApprovalRefused', `nobody can say whether it was noted: ${reasonOf(error)}. Approve again`);
        throw error;
      }
    },
    {
      validator: (approval: Approval) => {
        const take = takeFor(approval);
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
        else if (!(await condition(isAnswered, `${withinSeconds} seconds`))) await condition(isQuiet);
      } catch (error) {
        await CancellationScope.nonCancellable(() => condition(isQuiet));
        throw error;
      }
      if (approved !== null) return approved;
      return otherwise === 'skip' ? null : note(first.take, 'default');
    },
  };
}
