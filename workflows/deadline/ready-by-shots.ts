import type { PlannedShot } from '../../contracts/render/plan';
import type { ReadyByStatus } from '../../contracts/file/ready-by';
import type { CarriedReadyBy } from '../../contracts/render/carried-production';
import { timestamp } from '../temporal/clock';
import type { ProductionProgress } from '../progress/production-progress';

/**
 * The state of a production's shots with respect to `readyBy`: which are running, asked to stand down, held back, or
 * settled. A shot is settled if it is decided whether its present version uses the fallback.
 */
export class ReadyByShots {
  readonly #progress: ProductionProgress;
  /** By shot: the numbers of its takes at its start, and its run id (null until the run id is known). */
  readonly #started = new Map<string, { readonly takes: ReadonlySet<number>; runId: string | null }>();
  readonly #asked = new Set<string>();
  /** By shot: the digest for which the fallback was decided, and the time of the fallback (null if it was not used). */
  readonly #settled = new Map<string, { readonly digest: string; readonly takenAt: string | null }>();
  readonly #held = new Set<string>();
  #releases = 0;

  constructor(progress: ProductionProgress, { started, asked, settled }: CarriedReadyBy = NOTHING_CARRIED) {
    this.#progress = progress;
    for (const { shot, takes, runId } of started) this.#started.set(shot, { takes: new Set(takes), runId });
    for (const runId of asked) this.#asked.add(runId);
    for (const { shot, digest, takenAt } of settled) this.#settled.set(shot, { digest, takenAt });
  }

  /** The state for the production's next history. */
  carried(): CarriedReadyBy {
    const underWay = [...this.#started];
    return {
      started: underWay.map(([shot, { takes, runId }]) => ({ shot, takes: [...takes], runId })),
      asked: underWay.flatMap(([, { runId }]) => (runId !== null && this.#asked.has(runId) ? [runId] : [])),
      settled: [...this.#settled].map(([shot, settled]) => ({ shot, ...settled })),
    };
  }

  started(id: string): void {
    const { takes = [] } = this.#progress.status().shots.find((shot) => shot.id === id) ?? {};
    this.#started.set(id, { takes: new Set(takes.map(({ take }) => take)), runId: null });
  }

  /** Sets the run of a shot. False if the shot is not under way. */
  runs(id: string, runId: string): boolean {
    const run = this.#started.get(id);
    if (run !== undefined) run.runId = runId;
    return run !== undefined;
  }

  ended(id: string): void {
    this.#started.delete(id);
  }

  /** The takes that a shot under way had when it was started. */
  takesBefore(id: string): ReadonlySet<number> {
    return this.#started.get(id)?.takes ?? new Set();
  }

  isPending(id: string): boolean {
    return this.#progress.facts().get(id)?.state === 'pending';
  }

  /** The shot's run id, if that run can be asked to stand down and has not been asked yet. */
  toAsk(id: string): string | undefined {
    const runId = this.#started.get(id)?.runId ?? null;
    return runId === null || this.#asked.has(runId) ? undefined : runId;
  }

  asked(runId: string): void {
    this.#asked.add(runId);
  }

  hold(ids: readonly string[]): void {
    for (const id of ids) this.#held.add(id);
  }

  isHeld(id: string): boolean {
    return this.#held.has(id);
  }

  isHolding(): boolean {
    return this.#held.size > 0;
  }

  release(): void {
    if (this.isHolding()) this.#releases += 1;
    this.#held.clear();
  }

  releases(): number {
    return this.#releases;
  }

  /** Whether the fallback was decided for the present version of the shot. True if the plan lacks the shot. */
  isSettled(id: string): boolean {
    const { digest } = this.#progress.input().plan.shots.find((shot) => shot.id === id) ?? {};
    return digest === undefined || this.#settled.get(id)?.digest === digest;
  }

  /** Records that the fallback was decided for `ids` and applied to `taken`. */
  settle(ids: readonly string[], taken: readonly PlannedShot[]): void {
    const takenAt = timestamp();
    const lowered = new Map(taken.map(({ id, digest }) => [id, digest]));
    for (const { id, digest } of this.#progress.input().plan.shots) {
      const low = lowered.get(id);
      if (low !== undefined) this.#settled.set(id, { digest: low, takenAt });
      else if (ids.includes(id)) this.#settled.set(id, { digest, takenAt: this.#settled.get(id)?.takenAt ?? null });
    }
  }

  /** Records that the shots are rendered as written, because the fallback could not be recorded. */
  settleAsWritten(ids: readonly string[]): void {
    for (const { id, digest } of this.#progress.input().plan.shots)
      if (ids.includes(id)) this.#settled.set(id, { digest, takenAt: null });
  }

  /** The shots whose present version uses the fallback. */
  taken(): ReadyByStatus['fallback'] {
    return [...this.#settled].flatMap(([shot, { takenAt }]) =>
      takenAt !== null && this.isSettled(shot) ? [{ shot, at: takenAt }] : [],
    );
  }
}

const NOTHING_CARRIED: CarriedReadyBy = { started: [], asked: [], settled: [] };
