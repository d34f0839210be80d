import type { AssetRef } from '../../contracts/asset';
import type { ReservationNews } from '../../contracts/budget';
import type { ProductionState, ShotState } from '../../contracts/manifest';
import { chosenTakeOf, type ProductionStatus, type ShotStatus } from '../../contracts/status';
import type { ReadyByStatus } from '../../contracts/ready-by';
import type { CarriedProduction } from '../../contracts/carried-production';
import type { ProductionInput, Revision, ShotOutcome, ShotProgress } from '../../contracts/workflows';
import { BudgetAccount } from './budget';
import { timestamp } from '../temporal/clock';
import { failure } from '../temporal/fail';
import type { Standings } from './plan';
import {
  adoptedShot,
  carriedShot,
  changeShot,
  type KeptShot,
  newRun,
  NO_WAIT,
  noteTakes,
  PENDING,
  shortReason,
  standing,
  toldShot,
} from './kept-shot';
import { renewedShots, withSameInstant } from './revision';

/**
 * Where a production stands, kept while it runs. The only thing in the workflow that changes.
 *
 * Times come from the workflow's clock, so a replay gives the same.
 */
export class ProductionProgress {
  #input: ProductionInput;
  /** Those of the plan, and those that have left it while they were under way. */
  readonly #shots = new Map<string, KeptShot>();
  readonly #startedAt: string;
  readonly #budget: BudgetAccount | null;
  #isBudgetCounted = false;
  #state: ProductionState = 'running';
  #assembly: ProductionStatus['assembly'];
  #film: AssetRef | null = null;
  #reason: string | null = null;
  #endedAt: string | null = null;
  #changes = 0;
  #revisions = 0;
  #readyBy: () => ReadyByStatus | undefined = () => undefined;

  constructor({ carried, ...input }: ProductionInput) {
    this.#input = input;
    this.#startedAt = carried?.startedAt ?? timestamp();
    this.#assembly = input.plan.assemble ? 'waiting' : 'none';
    const budget = carried === undefined ? input.plan.budget : carried.budget;
    this.#budget = budget === undefined ? null : new BudgetAccount(budget.credits);
    for (const shot of carried?.shots ?? []) this.#shots.set(shot.id, adoptedShot(shot));
    this.#addShots();
  }

  /** What the next history of the production takes over. */
  carried(): Pick<CarriedProduction, 'startedAt' | 'shots'> {
    return { startedAt: this.#startedAt, shots: [...this.#shots.values()].map(carriedShot) };
  }

  /** The shots that an earlier history has left under way. `runId` null where an older run is left to end first. */
  carriedRuns(): readonly { readonly shotId: string; readonly runId: string | null; readonly isWanted: boolean }[] {
    return [...this.#shots.values()].flatMap(({ id: shotId, run }) =>
      run === null ? [] : [{ shotId, runId: run.id, isWanted: run.isWanted }],
    );
  }

  /** How a shot has ended that an earlier history has begun; null as long as it has not told. */
  endOfAdopted(shotId: string): ShotOutcome | null {
    return this.#shots.get(shotId)?.run?.heard?.ended ?? null;
  }

  /** Whether of each shot under way it is known which run it is: another history of the production can find it. */
  areRunsKnown(): boolean {
    return [...this.#shots.values()].every(({ run }) => run === null || run.id !== null || run.isPaused);
  }

  /** Whether the shot does nothing but wait for the end of an older run. */
  shotPauses(id: string, isPaused: boolean): void {
    const run = this.#shots.get(id)?.run ?? null;
    if (run !== null) run.isPaused = isPaused;
  }

  /** Null where the production began without one. */
  budget(): BudgetAccount | null {
    return this.#budget;
  }

  /** What the ledger has of it is counted: its figures can be told. */
  budgetCounted(): void {
    this.#isBudgetCounted = true;
  }

  /** Whether every shot under way has begun anew, or told of itself where an older run of it is left to end. */
  isHeardOfAll(): boolean {
    return [...this.#shots.values()].every(
      ({ run }) => run === null || run.heard !== null || (run.id !== null && !run.isAdopted),
    );
  }

  /** Whether the run of a shot is the one under way, or the older one that is left to end first. */
  isRunUnderWay({ reservation: { shotId }, runId }: ReservationNews): boolean {
    const run = this.#shots.get(shotId)?.run ?? null;
    return run !== null && (run.id === null || run.id === runId);
  }

  /** What an older run of a shot told last that is left to end first; null where nothing was heard. */
  heardOfOlder(shotId: string): ShotProgress | null {
    return this.#shots.get(shotId)?.run?.heard ?? null;
  }

  /** Whether the shot is planned and not under way: of what it does, an older run would have to tell. */
  isWithoutRun(shotId: string): boolean {
    return this.#isPlanned(shotId) && this.#shots.get(shotId)?.run === null;
  }

  /** Whether the shot is under way for what the production asks for now, and not drained. */
  isWanted(shotId: string): boolean {
    return this.#shots.get(shotId)?.run?.isWanted === true;
  }

  /** Whoever knows where it stands against the time by which it is to be ready. */
  readyByIs(told: () => ReadyByStatus | undefined): void {
    this.#readyBy = told;
  }

  /** As revised. */
  input(): ProductionInput {
    return this.#input;
  }

  /** Grows whenever something may start, or nothing is left to wait for. */
  changes(): number {
    return this.#changes;
  }

  revisions(): number {
    return this.#revisions;
  }

  /** How many takes were told of that are not asked for any more. */
  earlierTakes(): number {
    return [...this.#shots.values()].reduce((sum, { earlier }) => sum + earlier.size, 0);
  }

  /** How many shots there are in each state. */
  counts(): Readonly<Partial<Record<ShotState, number>>> {
    const counts: Partial<Record<ShotState, number>> = {};
    for (const { state } of this.#shots.values()) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  /** Whether a shot is pending, and fewer are in flight than may be. */
  hasRoom(): boolean {
    let [pending, inFlight] = [0, 0];
    for (const { state, run } of this.#shots.values()) {
      if (state === 'pending') pending += 1;
      if (state === 'rendering' || run?.waitsForBudget === true) inFlight += 1;
    }
    return pending > 0 && inFlight < this.#input.plan.maxInFlight;
  }

  standings(): Standings {
    return new Map([...this.#shots].map(([id, shot]) => [id, standing(shot)]));
  }

  shotStarted(id: string): void {
    Object.assign(this.#shot(id), { ...PENDING, state: 'rendering', startedAt: timestamp() });
    this.#shot(id).run = newRun();
  }

  /** @param runId of the child workflow that has begun. */
  shotRuns(id: string, runId: string): void {
    const shot = this.#shot(id);
    if (shot.run === null) return;
    const { heard, isWanted } = shot.run;
    shot.run.id = runId;
    shot.run.waitsForBudget = false;
    if (isWanted) changeShot(shot, { ...NO_WAIT, state: 'rendering', reason: null });
    // News of its beginning and its first words may come at once, in either order.
    if (heard?.runId === runId) this.shotProgressed(heard);
    this.#changes += 1;
  }

  shotProgressed(progress: ShotProgress): void {
    const { shotId, runId, takes, state, reason, parkedFor, takesUnderWay, filmTake } = progress;
    const shot = this.#shots.get(shotId);
    // A signal may come late, or from a shot of an older run, whose choice may be about something else.
    const run = shot?.run ?? null;
    if (shot === undefined || run === null || (run.id !== null && run.id !== runId)) return;
    noteTakes(shot, { takes, sideBySide: this.#sideBySide(shotId), isAll: false });
    if (run.id === null || run.isAdopted) run.heard = progress;
    if (run.isAdopted && progress.ended !== undefined) {
      this.#changes += 1;
      return;
    }
    if (!run.isWanted) return;
    run.waitsForBudget = progress.waitsForBudget ?? parkedFor === 'budget';
    const { parked, review } = shot;
    const since = parked?.for === parkedFor ? parked.since : timestamp();
    changeShot(shot, {
      state,
      reason: shortReason(reason),
      parked: parkedFor === null ? null : { for: parkedFor, since },
      review: state === 'review' ? { since: review?.since ?? timestamp(), takesUnderWay } : null,
      filmTake: run.id === null ? null : filmTake,
    });
    this.#changes += 1;
  }

  shotEnded(id: string, { state, reason, takes, filmTake, stoodDown }: ShotOutcome): void {
    const shot = this.#shot(id);
    const isWanted = shot.run?.isWanted === true && stoodDown !== true;
    shot.run = null;
    if (isWanted) changeShot(shot, { ...NO_WAIT, state, reason: shortReason(reason), filmTake, endedAt: timestamp() });
    else Object.assign(shot, PENDING);
    noteTakes(shot, { takes, sideBySide: this.#sideBySide(id), isAll: true });
    if (!this.#isPlanned(id)) this.#shots.delete(id);
    this.#changes += 1;
  }

  shotBlocked(id: string, by: string): void {
    Object.assign(this.#shot(id), { state: 'blocked', reason: `waits for ${by}, which was not rendered` });
  }

  /** Shots that were not started when the production was cancelled. */
  cancelPending(): void {
    for (const shot of this.#shots.values()) {
      if (shot.state === 'pending') shot.state = 'cancelled';
    }
  }

  /**
   * Takes another version of the production over.
   *
   * @returns the shots that are looked at again, and those under way that are not wanted any more.
   */
  revise(revision: Revision): { readonly renewed: readonly string[]; readonly unwanted: readonly string[] } {
    const renewed = new Set(renewedShots(this.#input.plan, revision));
    const { production, plan, basis } = revision;
    this.#input = { ...this.#input, production, plan: withSameInstant(this.#input.plan, plan), basis };
    this.#budget?.setCredits(plan.budget?.credits ?? null);
    this.#addShots();
    const unwanted: string[] = [];
    for (const [id, shot] of this.#shots) {
      const isWanted = this.#isPlanned(id) && !renewed.has(id);
      if (shot.run === null) {
        if (!this.#isPlanned(id)) this.#shots.delete(id);
        // What it waited for may come now.
        else if (!isWanted || shot.state === 'blocked') Object.assign(shot, PENDING);
      } else if (!isWanted) {
        shot.run.isWanted = false;
        unwanted.push(id);
        Object.assign(shot, { ...NO_WAIT, state: 'rendering', filmTake: null, reason: 'ends, and is rendered anew' });
      }
    }
    this.#reopen();
    return { renewed: [...renewed], unwanted };
  }

  /**
   * The clips for the film in its order, without pictures, sounds and texts, and without the shots that were skipped;
   * undefined where a shot is missing.
   */
  clips(): { shotId: string; asset: AssetRef }[] | undefined {
    const wanted = this.#inOrder().filter(({ state }) => state !== 'skipped');
    if (wanted.some(({ state }) => state !== 'completed')) return undefined;
    return wanted.flatMap((shot) => {
      const asset = chosenTakeOf(shot)?.asset;
      return asset?.mediaType.startsWith('video/') === true ? [{ shotId: shot.id, asset }] : [];
    });
  }

  assemblyIs(assembly: ProductionStatus['assembly'], film: AssetRef | null = null): void {
    this.#assembly = assembly;
    this.#film = film;
  }

  end(state: ProductionState, reason: string | null): void {
    this.#state = state;
    this.#reason = reason;
    this.#endedAt = timestamp();
  }

  /** With what is told of it by others. */
  wholeStatus(): ProductionStatus {
    const readyBy = this.#readyBy();
    return { ...this.status(), ...(readyBy === undefined ? {} : { readyBy }) };
  }

  status(): ProductionStatus {
    const budget = this.#isBudgetCounted ? (this.#budget?.figures() ?? null) : null;
    return {
      production: this.#input.productionId,
      title: this.#input.plan.title,
      state: this.#state,
      renderId: this.#input.renderId,
      frozen: this.#input.production,
      basis: this.#input.basis,
      shots: this.#inOrder().map((shot) => this.#asBudgeted(toldShot(shot))),
      film: this.#film,
      assembly: this.#assembly,
      reason: this.#reason,
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      ...(budget === null ? {} : { budget }),
    };
  }

  /** What it waits for changes with every charge; and once it is allowed, it only has not said yet that it goes on. */
  #asBudgeted(shot: ShotStatus): ShotStatus {
    if (this.#budget === null || shot.parked?.for !== 'budget') return shot;
    const reasons = this.#budget.shotWaitsFor(shot.id);
    if (reasons.length === 0) return { ...shot, ...NO_WAIT, state: 'rendering', reason: null };
    return { ...shot, reason: reasons.join('; ') };
  }

  #reopen(): void {
    this.#state = 'running';
    this.#assembly = this.#input.plan.assemble ? 'waiting' : 'none';
    this.#film = null;
    this.#reason = null;
    this.#endedAt = null;
    this.#revisions += 1;
    this.#changes += 1;
  }

  /** Shots that the plan has and that are not known yet; of the others, what the plan says of them. */
  #addShots(): void {
    for (const { id, model } of this.#input.plan.shots) {
      const known = this.#shots.get(id);
      if (known === undefined) this.#shots.set(id, { ...PENDING, id, model, takes: [], earlier: new Map(), run: null });
      else known.model = model;
    }
  }

  #sideBySide(id: string): number {
    return this.#input.plan.shots.find((shot) => shot.id === id)?.takes ?? 1;
  }

  #isPlanned(id: string): boolean {
    return this.#input.plan.shots.some((shot) => shot.id === id);
  }

  #inOrder(): KeptShot[] {
    return this.#input.plan.shots.map(({ id }) => this.#shot(id));
  }

  #shot(id: string): KeptShot {
    const shot = this.#shots.get(id);
    if (shot === undefined) throw failure('AssetMissing', `the production has no shot "${id}"`);
    return shot;
  }
}
