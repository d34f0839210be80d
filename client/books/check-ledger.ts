import {
  isGivenUp,
  isOwnTaskId,
  isSkipped,
  outputOf,
  ledgerState,
  type TakeHistory,
  tasksOf,
  type WorkflowTask,
} from '../../store';
import { type Difference, difference, type Place, rebuildCommand } from './difference';
import { type BookedTake, type BookedTakes, type UnreadableTake } from '../records/booked-takes';
import { type EndedRender, unclearCommand } from '../records/unclear-command';
import { openUnclear } from '../records/unclear-submit';

export interface LedgerSituation {
  /** True if the production may be running. Missing output may then still arrive. */
  readonly isUnderWay: boolean;
  /** The production's render, if it has ended. Undefined for batches and single tasks. */
  readonly ended: EndedRender | undefined;
  /** The command that renders the production again. */
  readonly render: string;
  /** Tasks found in the histories, with the data to rebuild a lost take. */
  readonly paid: readonly WorkflowTask[];
  /** Ids of the tasks whose output is in the histories. */
  readonly tasksWithOutput: ReadonlySet<string>;
  /** The account's takes in other productions. */
  readonly elsewhere: readonly BookedTake[];
}

/**
 * Finds faults in the ledger: unreadable and lost records, unclear submits, double charges, shared task ids, and paid
 * tasks whose output was not collected.
 */
export function checkLedger({ takes, broken }: BookedTakes, situation: LedgerSituation): readonly Difference[] {
  return [
    ...broken.map((take) => difference('records-broken', take, take.reason, rebuildOf(take, situation))),
    ...takes.flatMap((take) => checkTake(take, takes, situation)),
    ...sharedTasks(takes, situation.elsewhere),
  ];
}

/** The command that rebuilds a take whose intent is missing; null for other takes, or if no history has the task. */
function rebuildOf({ production, shot, take, lacksIntent }: UnreadableTake, { paid }: LedgerSituation): string | null {
  const isInHistories = paid.some((task) => task.take.shotId === shot && task.take.take === take);
  return lacksIntent === true && isInHistories ? rebuildCommand(production) : null;
}

export function placeOf({ shot, history }: BookedTake): Place {
  return { shot, take: history.take };
}

/** The ids of a take's tasks. A take has several tasks if the gateway accepted it more than once. */
export function taskIds(history: TakeHistory): ReadonlySet<string> {
  const { intent, settled } = history;
  const tasks = tasksOf(history);
  // If the gateway's answer lacks a task id, Dailies makes one. If the take has accepted tasks, that id means one of
  // them, so it is not counted.
  const isNamed = tasks.length > 0 && isOwnTaskId(intent.takeKey, settled?.taskId ?? '');
  return new Set(settled === undefined || isNamed ? tasks : [...tasks, settled.taskId]);
}

function checkTake(
  booked: BookedTake,
  all: readonly BookedTake[],
  { isUnderWay, ended, render, tasksWithOutput }: LedgerSituation,
): readonly Difference[] {
  const { production, history } = booked;
  const place = placeOf(booked);
  const differences: Difference[] = [];
  const now = ledgerState(history);
  const unclear = openUnclear(history);
  if (unclear !== undefined) {
    const what = `since ${unclear.since}: ${unclear.reason}`;
    differences.push(difference('unclear', place, what, unclearCommand(booked, all, ended)));
  }
  const lost = history.sendings.filter(({ sent }) => sent === null).map(({ n }) => `sent-${n}`);
  if (lost.length > 0) differences.push(difference('sent-missing', place, lost.join(', '), null));
  const ids = [...taskIds(history)];
  if (ids.length > 1) {
    const decisions = history.decisions.filter(({ kind }) => kind === 'resubmit').length;
    const decided = decisions === 0 ? 'nobody decided to send it again' : `sent again by ${decisions} decision(s)`;
    differences.push(difference('charged-twice', place, `tasks ${ids.join(', ')}; ${decided}`, null));
  }
  const isPaidFor = now.is === 'accepted' || (now.is === 'settled' && now.settled.state === 'completed');
  const isAbandoned = isGivenUp(history) || isSkipped(history);
  if (isPaidFor && !isCollected(history) && !isAbandoned && !isUnderWay) {
    const command = ids.some((id) => tasksWithOutput.has(id)) ? rebuildCommand(production) : render;
    differences.push(difference('not-collected', place, `task ${ids.join(', ')}`, command));
  }
  return differences;
}

/** A take with more than one task needs the output of only one of them. */
function isCollected(history: TakeHistory): boolean {
  return [...taskIds(history)].some((taskId) => outputOf(history, taskId) !== undefined);
}

/** Finds task ids that the gateway gave to two takes. The takes may be in different productions. */
function sharedTasks(takes: readonly BookedTake[], elsewhere: readonly BookedTake[]): readonly Difference[] {
  const firstWith = new Map(elsewhere.flatMap((take) => [...taskIds(take.history)].map((id) => [id, take] as const)));
  return takes.flatMap((booked) =>
    [...taskIds(booked.history)].flatMap((taskId) => {
      const first = firstWith.get(taskId);
      firstWith.set(taskId, first ?? booked);
      if (first === undefined) return [];
      const place = first.production === booked.production ? first.shot : `${first.shot} in ${first.production}`;
      const what = `task ${taskId} is also the task of take ${first.history.take} of ${place}`;
      return [difference('task-shared', placeOf(booked), what, null)];
    }),
  );
}
