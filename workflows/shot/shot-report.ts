import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TakeProgress } from '../../contracts/take';
import type { Parked, ShotInput, ShotOutcome, ShotProgress, TakeOutcome } from '../../contracts/workflows';
import { reportProgressSignal, shotProgressSignal } from '../messages';
import { openUiDetails, type ShowDetails } from '../progress/ui-details';
import type { BudgetClient } from '../take/budget-client';
import type { TakeListener } from '../take/run-take';
import { type ShotStanding, standingOf, type TakesOfShot } from './shot-standing';

/** Reports a shot's state to its production, and shows it in Temporal's UI and search attributes. */
export class ShotReport {
  readonly #input: ShotInput;
  readonly #budgetClient: BudgetClient;
  /** A production with a budget is told each charge at once. */
  readonly #hasBudget: boolean;
  readonly #runId = workflowInfo().firstExecutionRunId;
  readonly #narrate: ShowDetails;
  readonly #takes = new Map<number, TakeProgress>();
  /** Takes that were not reported since their last change. */
  readonly #news = new Map<number, TakeProgress>();
  /** Numbers of accepted takes that are neither ended nor overdue. */
  readonly #awaited = new Set<number>();
  /** By sibling; null unless it is parked. */
  readonly #open: Map<number, Parked | null>;
  #choice: TakesOfShot['choice'] = null;
  #end: ShotOutcome | null = null;
  #isTelling = false;
  #isDue = false;
  /** Whether the production has asked for a full report. */
  #isAllAsked = false;
  /** Whether it has ever asked. It was reset or has another history then, and does not see the end of this run. */
  #isOfOlder = false;

  /** Registers the signal by which the production asks for a full report. To be called before anything is awaited. */
  constructor(input: ShotInput, budgetClient: BudgetClient) {
    this.#input = input;
    this.#budgetClient = budgetClient;
    this.#hasBudget = input.task.permit !== undefined;
    this.#narrate = openUiDetails(input);
    this.#open = new Map(Array.from({ length: input.takes }, (_, sibling) => [sibling, null]));
    setHandler(reportProgressSignal, () => {
      this.#askedForAll();
    });
    this.#narrate('rendering', `waiting for the gateway to accept the task (${input.model})`);
  }

  /** All takes that this run knows, by number. */
  takes(): ReadonlyMap<number, TakeProgress> {
    return this.#takes;
  }

  /** Returns the listener for one of the takes side by side. */
  listener(sibling: number): TakeListener {
    return {
      accepted: (take) => {
        this.#awaited.add(take.take);
        this.#moved(sibling, take, null, `take ${take.take}: task ${take.taskId ?? ''} at the gateway`);
      },
      followed: (take) => {
        this.#awaited.delete(take.take);
        this.#note(take);
        if (this.#hasBudget) this.#tell(`take ${take.take} failed; another one follows`);
      },
      parked: (parked) => {
        this.#awaited.delete(parked.take.take);
        this.#moved(sibling, parked.take, parked, parked.reason);
      },
      resumed: (take) => {
        this.#moved(sibling, take, null, 'goes on');
      },
    };
  }

  takeEnded(sibling: number, { state, reason, take }: TakeOutcome): void {
    const before = this.#standing();
    this.#open.delete(sibling);
    if (take !== null) {
      this.#awaited.delete(take.take);
      this.#note(take);
    }
    const choice = this.#choice;
    if (this.#open.size === 0 && choice?.isInReview !== true) return;
    const now = this.#standing();
    // The first completed take is reported when it is chosen, and the last end by the shot's own end.
    const isNews = choice === null ? state !== 'completed' && now.state !== before.state : choice.isInReview;
    // The production shows takes that an answer has to name: one of them is no longer parked.
    const isStillParked = before.parkedTakes !== undefined && now.state === 'parked';
    const words = reason ?? `take ${take?.take ?? 0} has ended`;
    if (!isNews && !this.#hasBudget && (!isStillParked || !patched('parked-takes-told'))) return;
    this.#tell(words);
  }

  /** A take is chosen. It waits for an approval, or is final. */
  chosen(take: TakeProgress, isInReview: boolean): void {
    this.#note(take);
    this.#choice = { take, isInReview };
    // The shot's own end reports the final choice if it follows at once.
    if (isInReview || this.#open.size > 0) {
      this.#tell(`take ${take.take} ${isInReview ? 'waits for an approval' : 'stands'}`);
    }
  }

  /** Resolves when the report is delivered, if the production needs one. */
  async ended(outcome: ShotOutcome): Promise<void> {
    const { state, reason, filmTake } = outcome;
    this.#narrate(state, reason ?? `take ${filmTake ?? 0}`);
    this.#end = outcome;
    if (!this.#isOfOlder) return;
    this.#tellProduction();
    await CancellationScope.nonCancellable(() => condition(() => !this.#isTelling));
  }

  #askedForAll(): void {
    this.#isOfOlder = true;
    if (this.#takes.size === 0 && !this.#hasBudget) return;
    this.#isAllAsked = true;
    this.#tellProduction();
  }

  #moved(sibling: number, take: TakeProgress, parked: Parked | null, words: string): void {
    this.#note(take);
    this.#open.set(sibling, parked);
    this.#tell(words);
  }

  #note(take: TakeProgress): void {
    this.#takes.set(take.take, take);
    this.#news.set(take.take, take);
  }

  #tell(words: string): void {
    const now = this.#standing();
    this.#narrate(now.state, now.reason ?? words);
    this.#tellProduction();
  }

  #tellProduction(): void {
    this.#isDue = true;
    if (!this.#isTelling) void CancellationScope.nonCancellable(() => this.#deliver());
  }

  /** Sends one signal at a time, since two may arrive out of order. */
  async #deliver(): Promise<void> {
    this.#isTelling = true;
    while (this.#isDue) {
      const progress = this.#progress();
      this.#isDue = false;
      this.#isAllAsked = false;
      this.#news.clear();
      await signalProduction(progress);
    }
    this.#isTelling = false;
  }

  #progress(): ShotProgress {
    const told = this.#isAllAsked ? this.#takes : this.#news;
    return {
      shotId: this.#input.task.shotId,
      runId: this.#runId,
      takes: [...told.values()],
      awaited: [...this.#awaited],
      ...this.#standingToTell(),
      ...(this.#isAllAsked && this.#hasBudget ? { reservations: this.#budgetClient.standing() } : {}),
      ...(this.#end === null ? {} : { ended: this.#end }),
    };
  }

  /** The state to report. A take that is approved automatically at once is not reported as in review. */
  #standingToTell(): ShotStanding {
    const now = this.#standing();
    const isApprovedAtOnce = now.state === 'review' && this.#input.review?.withinSeconds === 0;
    return isApprovedAtOnce ? { ...now, state: 'rendering', reason: null, filmTake: null } : now;
  }

  #standing(): ShotStanding {
    return standingOf({ takes: this.#takes, open: this.#open, choice: this.#choice });
  }
}

/** If the production is gone, the report is not needed: the next render reads the ledger. */
async function signalProduction(progress: ShotProgress): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  const production = getExternalWorkflowHandle(parent.workflowId);
  await production.signal(shotProgressSignal, progress).catch(() => undefined);
}
