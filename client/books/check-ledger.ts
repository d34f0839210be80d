import {
  isGivenUp,
  isOwnTaskId,
  isSkipped,
  outputOf,
  standing,
  type TakeHistory,
  tasksOf,
  type WorkflowTask,
} from '../../store';
import { type Difference, difference, type Place, rebuildCommand } from './difference';
import { type BookedTake, type BookedTakes, type BrokenTake } from './takes';
import { openUnclear, unclearCommand } from './unclear';

export interface LedgerSituation {
  /** Whether the production may be under way: then what is not there yet may be coming. */
  readonly isUnderWay: boolean;
  /** What to type to render it again. */
  readonly render: string;
  /** Tasks that the histories know well enough for the ledger to have them again. */
  readonly paid: readonly WorkflowTask[];
  /** Tasks of which the histories know what they left in the store. */
  readonly collected: ReadonlySet<string>;
  /** The account's takes in other productions. */
  readonly elsewhere: readonly BookedTake[];
}

/** Holds the ledger against itself: what is open, what was charged twice, what was paid for and not collected. */
export function checkLedger({ takes, broken }: BookedTakes, situation: LedgerSituation): readonly Difference[] {
  return [
    ...broken.map((take) => difference('records-broken', take, take.reason, rebuildOf(take, situation))),
    ...takes.flatMap((take) => checkTake(take, takes, situation)),
    ...sharedTasks(takes, situation.elsewhere),
  ];
}

/** What rebuilds a take that lacks nothing but what a history knows. */
function rebuildOf({ production, shot, take, lacksIntent }: BrokenTake, { paid }: LedgerSituation): string | null {
  const isKnown = paid.some((task) => task.take.shotId === shot && task.take.take === take);
  return lacksIntent === true && isKnown ? rebuildCommand(production) : null;
}

export function placeOf({ shot, history }: BookedTake): Place {
  return { shot, take: history.take };
}

/** The ids of the tasks that a take came to; several where it was accepted more than once. */
export function taskIds(history: TakeHistory): ReadonlySet<string> {
  const { intent, settled } = history;
  const tasks = tasksOf(history);
  // An end without an id belongs to one of these tasks.
  const isNamed = tasks.length > 0 && isOwnTaskId(intent.takeKey, settled?.taskId ?? '');
  return new Set(settled === undefined || isNamed ? tasks : [...tasks, settled.taskId]);
}

function checkTake(
  booked: BookedTake,
  all: readonly BookedTake[],
  { isUnderWay, render, collected }: LedgerSituation,
): readonly Difference[] {
  const { production, history } = booked;
  const place = placeOf(booked);
  const found: Difference[] = [];
  const now = standing(history);
  const unclear = openUnclear(history);
  if (unclear !== undefined) {
    const what = `since ${unclear.since}: ${unclear.reason}`;
    found.push(difference('unclear', place, what, unclearCommand(booked, all)));
  }
  const lost = history.sendings.filter(({ sent }) => sent === null).map(({ n }) => `sent-${n}`);
  if (lost.length > 0) found.push(difference('sent-missing', place, lost.join(', '), null));
  const ids = [...taskIds(history)];
  if (ids.length > 1) {
    const decisions = history.decisions.filter(({ kind }) => kind === 'resubmit').length;
    const decided = decisions === 0 ? 'nobody decided to send it again' : `sent again by ${decisions} decision(s)`;
    found.push(difference('charged-twice', place, `tasks ${ids.join(', ')}; ${decided}`, null));
  }
  const isPaidFor = now.is === 'accepted' || (now.is === 'settled' && now.settled.state === 'completed');
  const isLeft = isGivenUp(history) || isSkipped(history);
  if (isPaidFor && !isCollected(history) && !isLeft && !isUnderWay) {
    const command = ids.some((id) => collected.has(id)) ? rebuildCommand(production) : render;
    found.push(difference('not-collected', place, `task ${ids.join(', ')}`, command));
  }
  return found;
}

/** A take that came to more than one task goes on with one of them. */
function isCollected(history: TakeHistory): boolean {
  return [...taskIds(history)].some((taskId) => outputOf(history, taskId) !== undefined);
}

/** A gateway that gives one id to two takes may do so over productions: its next task follows on any other. */
function sharedTasks(takes: readonly BookedTake[], elsewhere: readonly BookedTake[]): readonly Difference[] {
  const firstWith = new Map(elsewhere.flatMap((take) => [...taskIds(take.history)].map((id) => [id, take] as const)));
  return takes.flatMap((booked) =>
    [...taskIds(booked.history)].flatMap((taskId) => {
      const first = firstWith.get(taskId);
      firstWith.set(taskId, first ?? booked);
      if (first === undefined) return [];
      const of = first.production === booked.production ? first.shot : `${first.shot} in ${first.production}`;
      const what = `task ${taskId} is that of take ${first.history.take} of ${of} as well`;
      return [difference('task-shared', placeOf(booked), what, null)];
    }),
  );
}
