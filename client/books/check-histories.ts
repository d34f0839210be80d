import { placeOf, taskIds } from './check-ledger';
import { type Difference, difference, rebuildCommand } from './difference';
import { type TaskFact } from './history-facts';
import { type BookedTake } from './takes';

export interface HistoriesSituation {
  readonly production: string;
  /** Whether the ledger was restored, and takes that it does not know are held back. */
  readonly isRestored: boolean;
  /** Whether all histories that there are were read, Temporal's own too. */
  readonly isComplete: boolean;
  /** Shots whose workflow runs: the ledger may be ahead of their histories. */
  readonly runningShots: ReadonlySet<string>;
}

/** Holds the ledger against what the histories say of tasks. */
export function checkHistories(
  takes: readonly BookedTake[],
  facts: readonly TaskFact[],
  situation: HistoriesSituation,
): readonly Difference[] {
  const byTask = new Map(takes.flatMap((take) => [...taskIds(take.history)].map((id) => [id, take] as const)));
  const unknown = new Map(facts.filter(({ taskId }) => !byTask.has(taskId)).map((fact) => [fact.taskId, fact]));
  return [
    ...[...unknown.values()].map((fact) => notInLedger(fact, takes, situation)),
    ...endsThatDiffer(facts, byTask),
    ...(situation.isComplete ? withoutHistory(takes, facts, situation) : []),
  ];
}

/** A take that the next render makes unclear can adopt its task; one that the ledger never heard of would be sent. */
function notInLedger(
  { shot, take, taskId }: TaskFact,
  takes: readonly BookedTake[],
  { production, isRestored }: HistoriesSituation,
): Difference {
  const willPark = isRestored || takes.some((one) => one.shot === shot && one.history.take === take);
  const command = willPark
    ? `dailies resolve ${production} ${shot} --adopt ${taskId}`
    : 'dailies ledger --restore BACKUP';
  return difference('task-not-in-ledger', { shot, take }, `task ${taskId}`, command);
}

/** Each task once, whatever the number of renders that met it. */
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
    // A take that was accepted twice is settled once; that it was charged twice is said elsewhere.
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
  const known = new Set(facts.map(({ taskId }) => taskId));
  return takes
    .filter(({ shot }) => !runningShots.has(shot))
    .flatMap((take) =>
      [...taskIds(take.history)]
        .filter((taskId) => !known.has(taskId))
        .map((taskId) => difference('take-without-history', placeOf(take), `task ${taskId}`, null)),
    );
}

export function creditsInWords(credits: number | null): string {
  return credits === null ? 'no credits told' : `${credits} credits`;
}
