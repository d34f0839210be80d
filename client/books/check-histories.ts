import { counted } from '../../contracts/counted';
import { placeOf, taskIds } from './check-ledger';
import { type Difference, difference, rebuildCommand } from './difference';
import { type TaskFact } from './history-facts';
import { type BookedTake } from '../records/booked-takes';
import { ledgerState, type LedgerState } from '../../store';

export interface HistoriesSituation {
  readonly production: string;
  /**
   * True if a restored ledger may lack sendings since its backup. A render then parks a request's first new take as
   * unclear.
   */
  readonly hasGap: boolean;
  /** True if all histories were read, including those at Temporal. */
  readonly isComplete: boolean;
  /** Shots whose workflow is running. Their ledger records may be newer than their histories. */
  readonly runningShots: ReadonlySet<string>;
}

/** Compares the ledger with the tasks in the histories. */
export function checkHistories(
  takes: readonly BookedTake[],
  facts: readonly TaskFact[],
  situation: HistoriesSituation,
): readonly Difference[] {
  const byTask = new Map(takes.flatMap((take) => [...taskIds(take.history)].map((id) => [id, take] as const)));
  const lost = facts.filter(({ taskId }) => !byTask.has(taskId));
  // Several histories may have the same task. The `Map` keeps the last fact of a task. So the facts that have data to
  // rebuild the task come last.
  const unknown = new Map([...lost, ...lost.filter(({ paid }) => paid)].map((fact) => [fact.taskId, fact]));
  return [
    ...[...unknown.values()].map((fact) => notInLedger(fact, takes, situation)),
    ...endsThatDiffer(facts, byTask),
    ...(situation.isComplete ? withoutHistory(takes, facts, situation) : []),
  ];
}

/**
 * The ledger lacks the task. If the next render parks its take as unclear, a person can adopt the task. Otherwise the
 * render would send the take again, so the ledger must be rebuilt or restored first.
 */
function notInLedger(
  { shot, take, taskId, paid }: TaskFact,
  takes: readonly BookedTake[],
  { production, hasGap }: HistoriesSituation,
): Difference {
  const booked = takes.find((one) => one.shot === shot && one.history.take === take);
  const willPark = hasGap || (booked !== undefined && PARKED.has(ledgerState(booked.history).is));
  const mend = paid === undefined ? 'dailies ledger --restore BACKUP' : rebuildCommand(production);
  const command = willPark ? `dailies resolve ${production} ${shot} --adopt ${taskId}` : mend;
  return difference('task-not-in-ledger', { shot, take }, `task ${taskId}`, command);
}

/** States in which the next render parks a take as unclear. A take that seems never sent would be sent again. */
const PARKED: ReadonlySet<LedgerState['is']> = new Set(['sending', 'unclear']);

/** Compares the end of each task once, even if several histories have the task. */
function endsThatDiffer(facts: readonly TaskFact[], byTask: ReadonlyMap<string, BookedTake>): readonly Difference[] {
  const ends = new Map(facts.flatMap(({ taskId, end }) => (end === undefined ? [] : [[taskId, end] as const])));
  return [...ends].flatMap(([taskId, { credits }]) => {
    const booked = byTask.get(taskId);
    if (booked === undefined) return [];
    const { settled } = booked.history;
    if (settled === undefined) {
      const rebuild = rebuildCommand(booked.production);
      return [difference('end-not-in-ledger', placeOf(booked), `task ${taskId}`, rebuild)];
    }
    // A take that was accepted twice is settled once; `charged-twice` reports the second charge.
    if (settled.taskId !== taskId || settled.credits === credits) return [];
    const what = `task ${taskId}: ${creditsInWords(settled.credits)} in the ledger, ${creditsInWords(credits)} in the history`;
    return [difference('charge-differs', placeOf(booked), what, null)];
  });
}

function withoutHistory(
  takes: readonly BookedTake[],
  facts: readonly TaskFact[],
  { runningShots }: HistoriesSituation,
): readonly Difference[] {
  const inHistories = new Set(facts.map(({ taskId }) => taskId));
  return takes
    .filter(({ shot }) => !runningShots.has(shot))
    .flatMap((take) =>
      [...taskIds(take.history)]
        .filter((taskId) => !inHistories.has(taskId))
        .map((taskId) => difference('take-without-history', placeOf(take), `task ${taskId}`, null)),
    );
}

export function creditsInWords(credits: number | null): string {
  return credits === null ? 'unknown credits' : counted(credits, 'credit');
}
