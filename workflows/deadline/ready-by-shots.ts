import type { PlannedShot } from '../../contracts/render/plan';
import type { ReadyByStatus } from '../../contracts/file/ready-by';
import type { CarriedReadyBy } from '../../contracts/render/carried-production';
import { timestamp } from '../temporal/clock';
import type { ProductionProgress } from '../progress/production-progress';

/**
 * The shots of a production with a deadline (`readyBy`): which are running, were asked to stand down, are held back, or
 * are settled. A shot is settled once it is decided whether its present version uses the file's fallback.
 */
export class ReadyByShots {
  readonly #progress: ProductionProgress;
  /** By running shot: the takes that it had when it started, and its run id (null until known). */
  readonly #started = new Map<string, { readonly takes: ReadonlySet<number>; runId: string | null }>();
  readonly #asked = new Set<string>();
  /** By settled shot: the digest of the settled version, and when it switched to the fallback (null if it did not). */
  readonly #settled = new Map<string, { readonly digest: string; readonly takenAt: string | null }>();
  readonly #held = new Set<string>();
  #releases = 0;

  constructor(progress: ProductionProgress, { started, asked, settled }: CarriedReadyBy = NOTHING_CARRIED) {
    this.#progress = progress;
    for (const { shot, takes, runId } of started) this.#started.set(shot, { takes: new Set(takes), runId });
    for (const runId of asked) this.#asked.add(runId);
    for (const { shot, digest, takenAt } of settled) this.#settled.set(shot, { digest, takenAt });
  }

  /** The state for the run that follows by continue-as-new. */
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

  /** Sets the run id of a shot. Returns false if the shot is not under way. */
  runs(id: string, runId: string): boolean {
    const run = this.#started.get(id);
    if (run !== undefined) run.runId = runId;
    return run !== undefined;
  }

  ended(id: string): void {
    this.#started.delete(id);
  }

  /** The numbers of the takes that a shot had when it started; empty if the shot is not under way. */
  takesBefore(id: string): ReadonlySet<number> {
    return this.#started.get(id)?.takes ?? new Set();
  }

  isPending(id: string): boolean {
    return this.#progress.facts().get(id)?.state === 'pending';
  }

  /** The id of the run to ask to stand down; undefined if the id is unknown, or if the run was asked already. */
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

  /** True if the present version of the shot is settled, or if the plan lacks the shot. */
  isSettled(id: string): boolean {
    const { digest } = this.#progress.input().plan.shots.find((shot) => shot.id === id) ?? {};
    return digest === undefined || this.#settled.get(id)?.digest === digest;
  }

  /**
   * Settles `ids` in their present version, except that the shots in `taken` are settled in their fallback version. If
   * a person has changed a shot since its fallback, its present version does not count as the fallback.
   */
  settle(ids: readonly string[], taken: readonly PlannedShot[]): void {
    const takenAt = timestamp();
    const fallbackDigests = new Map(taken.map(({ id, digest }) => [id, digest]));
    for (const { id, digest } of this.#progress.input().plan.shots) {
      const fallbackDigest = fallbackDigests.get(id);
      if (fallbackDigest !== undefined) this.#settled.set(id, { digest: fallbackDigest, takenAt });
      else if (ids.includes(id)) {
        const before = this.#settled.get(id);
        this.#settled.set(id, { digest, takenAt: before?.digest === digest ? before.takenAt : null });
      }
    }
  }

  /** Settles the shots as written, because the fallback could not be recorded. */
  settleAsWritten(ids: readonly string[]): void {
    for (const { id, digest } of this.#progress.input().plan.shots)
      if (ids.includes(id)) this.#settled.set(id, { digest, takenAt: null });
  }

  /** The shots of the plan whose present version uses the fallback. */
  taken(): ReadyByStatus['fallback'] {
    const present = new Map(this.#progress.input().plan.shots.map(({ id, digest }) => [id, digest]));
    return [...this.#settled].flatMap(([shot, { digest, takenAt }]) =>
      takenAt !== null && present.get(shot) === digest ? [{ shot, at: takenAt }] : [],
    );
  }
}

const NOTHING_CARRIED: CarriedReadyBy = { started: [], asked: [], settled: [] };
