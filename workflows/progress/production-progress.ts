import type { AssetRef } from '../../contracts/asset';
import type { ProductionState, ShotState } from '../../contracts/states';
import { chosenTakeOf, type ProductionStatus, type ShotStatus } from '../../contracts/status';
import type { ReadyByStatus } from '../../contracts/file/ready-by';
import type { CarriedProduction } from '../../contracts/render/carried-production';
import type { ProductionInput, Revision, ShotOutcome, ShotProgress } from '../../contracts/workflows';
import { BudgetAccount } from './budget';
import { timestamp } from '../temporal/clock';
import { failure } from '../temporal/fail';
import type { FactsByShot } from './plan';
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
  factsOf,
  toldShot,
} from './kept-shot';
import { renewedShots, withSameInstant } from './revision';
import { ShotRuns } from './shot-runs';
import { asBudgeted, openOutcome, type Outcome, type ToldBudget, toldProduction } from './told-production';

/**
 * The state of a running production: its version, shots, budget and outcome.
 *
 * Times come from the workflow's clock, so a replay gives the same times.
 */
export class ProductionProgress {
  #input: ProductionInput;
  /** The plan's shots, and shots that have left the plan but are still under way. */
  readonly #shots = new Map<string, KeptShot>();
  readonly runs = new ShotRuns(this.#shots);
  readonly #startedAt: string;
  readonly #budget: BudgetAccount | null;
  readonly #isChosenKept: () => boolean;
  #isBudgetCounted = false;
  #outcome: Outcome;
  #changes = 0;
  #revisions = 0;
  #readyBy: () => ReadyByStatus | undefined = () => undefined;

  /** @param isChosenKept see `noteTakes`. */
  constructor({ carried, ...input }: ProductionInput, isChosenKept = (): boolean => true) {
    this.#input = input;
    this.#isChosenKept = isChosenKept;
    this.#startedAt = carried?.startedAt ?? timestamp();
    this.#outcome = openOutcome(input.plan);
    const budget = carried === undefined ? input.plan.budget : carried.budget;
    this.#budget = budget === undefined ? null : new BudgetAccount(budget.credits);
    for (const shot of carried?.shots ?? []) this.#shots.set(shot.id, adoptedShot(shot));
    this.#addShots();
  }

  /** The start time and the shots, for the production's next history after continue-as-new. */
  carried(): Pick<CarriedProduction, 'startedAt' | 'shots'> {
    return { startedAt: this.#startedAt, shots: [...this.#shots.values()].map(carriedShot) };
  }

  /** Null if the production began without a budget. */
  budget(): BudgetAccount | null {
    return this.#budget;
  }

  /** Call this when the budget includes the ledger's charges. Until then, the status shows only the budget's limit. */
  budgetCounted(): void {
    this.#isBudgetCounted = true;
  }

  setReadyBy(told: () => ReadyByStatus | undefined): void {
    this.#readyBy = told;
  }

  input(): ProductionInput {
    return this.#input;
  }

  /** Grows with each change that the loop in `render-shots.ts` must react to. */
  changes(): number {
    return this.#changes;
  }

  revisions(): number {
    return this.#revisions;
  }

  /** Number of reported takes that are no longer kept in detail. */
  earlierTakes(): number {
    return [...this.#shots.values()].reduce((sum, { earlier }) => sum + earlier.size, 0);
  }

  counts(): Readonly<Partial<Record<ShotState, number>>> {
    const counts: Partial<Record<ShotState, number>> = {};
    for (const { state } of this.#shots.values()) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  /** Whether a shot is pending and a place in flight is free. */
  hasRoom(): boolean {
    let [pending, inFlight] = [0, 0];
    for (const { state, run } of this.#shots.values()) {
      if (state === 'pending') pending += 1;
      if (state === 'rendering' || run?.waitsForBudget === true) inFlight += 1;
    }
    return pending > 0 && inFlight < this.#input.plan.maxInFlight;
  }

  facts(): FactsByShot {
    return new Map([...this.#shots].map(([id, shot]) => [id, factsOf(shot)]));
  }

  shotStarted(id: string): void {
    Object.assign(this.#shot(id), { ...PENDING, state: 'rendering', startedAt: timestamp() });
    this.#shot(id).run = newRun();
  }

  /** @param runId run id of the shot's child workflow, which has started. */
  shotRuns(id: string, runId: string): void {
    const shot = this.#shot(id);
    if (shot.run === null) return;
    const { heard, isWanted } = shot.run;
    shot.run.id = runId;
    shot.run.waitsForBudget = false;
    if (isWanted) changeShot(shot, { ...NO_WAIT, state: 'rendering', reason: null });
    // The run's first report may arrive before the news of its start.
    if (heard?.runId === runId) this.shotProgressed(heard);
    this.#changes += 1;
  }

  shotProgressed(progress: ShotProgress): void {
    const { shotId, runId, takes, state, reason, parkedFor, takesUnderWay, reviewTakes, filmTake } = progress;
    const shot = this.#shots.get(shotId);
    // Once the run is known, ignore reports of other runs: they may be about another version of the shot.
    const run = shot?.run ?? null;
    if (shot === undefined || run === null || (run.id !== null && run.id !== runId)) return;
    const chosen = run.isWanted && run.id !== null ? filmTake : null;
    noteTakes(shot, { takes, sideBySide: this.#sideBySide(shotId), isAll: false, chosen }, this.#isChosenKept);
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
      parked: parkedFor === null ? null : { for: parkedFor, since, ...namedOf(progress) },
      review:
        state === 'review'
          ? { since: review?.since ?? timestamp(), takesUnderWay, ...(reviewTakes && { takes: reviewTakes }) }
          : null,
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
    Object.assign(this.#shot(id), { state: 'blocked', reason: `needs ${by}, which was not rendered` });
  }

  /** Marks as cancelled the shots that were not started before the production was cancelled. */
  cancelPending(): void {
    for (const shot of this.#shots.values()) {
      if (shot.state === 'pending') shot.state = 'cancelled';
    }
  }

  /**
   * Replaces the production with another version.
   *
   * @returns the shots that have to run, and the shots whose present run is no longer wanted.
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
        // In the new version, a blocked shot may be able to start.
        else if (!isWanted || shot.state === 'blocked') Object.assign(shot, PENDING);
      } else if (!isWanted) {
        shot.run.isWanted = false;
        unwanted.push(id);
        Object.assign(shot, {
          ...NO_WAIT,
          state: 'rendering',
          filmTake: null,
          reason: 'starts in its new version when its present run has ended',
        });
      }
    }
    this.#reopen();
    return { renewed: [...renewed], unwanted };
  }

  /**
   * Returns the clips in the film's order, without other media. Undefined unless each shot is completed or skipped.
   */
  clips(): { shotId: string; asset: AssetRef }[] | undefined {
    const wanted = this.#inOrder().filter(({ state }) => state !== 'skipped');
    if (wanted.some(({ state }) => state !== 'completed')) return undefined;
    return wanted.flatMap((shot) => {
      const asset = chosenTakeOf(shot)?.asset;
      return asset?.mediaType.startsWith('video/') === true ? [{ shotId: shot.id, asset }] : [];
    });
  }

  setAssembly(assembly: ProductionStatus['assembly'], film: AssetRef | null = null): void {
    this.#outcome = { ...this.#outcome, assembly, film };
  }

  end(state: ProductionState, reason: string | null): void {
    this.#outcome = { ...this.#outcome, state, reason, endedAt: timestamp() };
  }

  /** The status, including the progress towards `readyBy`. */
  wholeStatus(): ProductionStatus {
    const readyBy = this.#readyBy();
    return { ...this.status(), ...(readyBy === undefined ? {} : { readyBy }) };
  }

  status(): ProductionStatus {
    return toldProduction(this.#input, this.#outcome, {
      shots: this.#inOrder().map((shot) => asBudgeted(toldShot(shot), this.#budget)),
      startedAt: this.#startedAt,
      budget: this.#toldBudget(),
    });
  }

  #toldBudget(): ToldBudget {
    const [figures, credits] = [this.#budget?.figures(), this.#budget?.credits()];
    if (figures == null || credits == null) return {};
    return this.#isBudgetCounted ? { budget: figures } : { uncountedBudget: { credits } };
  }

  #reopen(): void {
    this.#outcome = openOutcome(this.#input.plan);
    this.#revisions += 1;
    this.#changes += 1;
  }

  /** Adds new shots of the plan, and updates the models of the others. */
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

function namedOf({ parkedTakes }: ShotProgress): Pick<NonNullable<ShotStatus['parked']>, 'takes'> {
  return parkedTakes === undefined ? {} : { takes: parkedTakes };
}
