import type { ReservationNews } from '../../contracts/money/budget';
import type { ShotOutcome, ShotProgress } from '../../contracts/workflows';
import type { KeptShot } from './kept-shot';

/** The runs of a production's shots: the child workflows that are under way. */
export class ShotRuns {
  readonly #shots: ReadonlyMap<string, KeptShot>;

  constructor(shots: ReadonlyMap<string, KeptShot>) {
    this.#shots = shots;
  }

  /**
   * All shots that have a run. When a history begins, these are the shots that the history before it left under way.
   * `runId` is null until the run is known to have started. An older run of the same shot may have to end first.
   */
  carried(): readonly { readonly shotId: string; readonly runId: string | null; readonly isWanted: boolean }[] {
    return [...this.#shots.values()].flatMap(({ id: shotId, run }) =>
      run === null ? [] : [{ shotId, runId: run.id, isWanted: run.isWanted }],
    );
  }

  /** The outcome of a shot that an earlier history started; null until the shot has reported it. */
  endOfAdopted(shotId: string): ShotOutcome | null {
    return this.#run(shotId)?.heard?.ended ?? null;
  }

  /** Whether the next history can adopt each run: its id is known, or the shot only waits for an older run to end. */
  areKnown(): boolean {
    return [...this.#shots.values()].every(({ run }) => run === null || run.id !== null || run.isPaused);
  }

  /** Notes whether the shot only waits for an older run to end. */
  paused(shotId: string, isPaused: boolean): void {
    const run = this.#run(shotId);
    if (run !== null) run.isPaused = isPaused;
  }

  /** Whether each run was started by this history or has reported its state. A report of an older run counts too. */
  areAllHeardOf(): boolean {
    return [...this.#shots.values()].every(
      ({ run }) => run === null || run.heard !== null || (run.id !== null && !run.isAdopted),
    );
  }

  /** Whether the news comes from the shot's run, or from the older run that has to end first. */
  isUnderWay({ reservation: { shotId }, runId }: ReservationNews): boolean {
    const run = this.#run(shotId);
    return run !== null && (run.id === null || run.id === runId);
  }

  /** The last report of an older run that has to end first; null if none arrived. */
  heardOfOlder(shotId: string): ShotProgress | null {
    return this.#run(shotId)?.heard ?? null;
  }

  /** Whether the plan has the shot, and this production has no run of it. An older run of the shot may still exist. */
  isMissing(shotId: string): boolean {
    return this.#shots.get(shotId)?.run === null;
  }

  /** Whether the shot has a run, and the run is for the shot as the plan has it. */
  isWanted(shotId: string): boolean {
    return this.#run(shotId)?.isWanted === true;
  }

  #run(shotId: string): KeptShot['run'] {
    return this.#shots.get(shotId)?.run ?? null;
  }
}
