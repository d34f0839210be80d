import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TakeProgress } from '../../contracts/render/take';
import type { Parked, ShotInput, ShotOutcome, ShotProgress, TakeOutcome } from '../../contracts/workflows';
import { reportProgressSignal, shotProgressSignal } from '../messages';
import { openUiDetails, type ShowDetails } from '../progress/ui-details';
import type { BudgetClient } from '../take/budget-client';
import type { TakeListener } from '../take/run-take';
import { type ShotSummary, summaryOf, type TakesOfShot } from './shot-summary';

/** Reports a shot's state to its production, and shows it in Temporal's UI and search attributes. */
export class ShotReport {
  readonly #input: ShotInput;
  readonly #budgetClient: BudgetClient;
  /** Whether the production has a budget. If so, each charge is reported at once. */
  readonly #hasBudget: boolean;
  readonly #runId = workflowInfo().firstExecutionRunId;
  readonly #showInUi: ShowDetails;
  readonly #takes = new Map<number, TakeProgress>();
  /** Takes that have changed since they were last reported. */
  readonly #unreported = new Map<number, TakeProgress>();
  /** Numbers of accepted takes whose end the shot awaits. */
  readonly #awaited = new Set<number>();
  /** Takes that have not ended, by sibling number. The value is null unless the take is parked. */
  readonly #open: Map<number, Parked | null>;
  #choice: TakesOfShot['choice'] = null;
  #end: ShotOutcome | null = null;
  #isSending = false;
  #isDue = false;
  /** Whether the next report must be a full one, because the production has asked for it. */
  #isFullReportDue = false;
  /**
   * Whether the production has ever asked for a full report. Only a production that does not see this run as its child
   * asks for one, for example after a reset or continue-as-new.
   */
  #hasParentForgotten = false;

  /** Registers the signal by which the production asks for a full report. To be called before anything is awaited. */
  constructor(input: ShotInput, budgetClient: BudgetClient) {
    this.#input = input;
    this.#budgetClient = budgetClient;
    this.#hasBudget = input.task.permit !== undefined;
    this.#showInUi = openUiDetails(input);
    this.#open = new Map(Array.from({ length: input.takes }, (_, sibling) => [sibling, null]));
    setHandler(reportProgressSignal, () => {
      this.#fullReportAsked();
    });
    this.#showInUi('rendering', `waiting for the gateway to accept the task (${input.model})`);
  }

  /** All takes that this run knows, by number. */
  takes(): ReadonlyMap<number, TakeProgress> {
    return this.#takes;
  }

  /** Returns the listener for one of the takes that run side by side. */
  listener(sibling: number): TakeListener {
    return {
      accepted: (take) => {
        this.#awaited.add(take.take);
        this.#moved(sibling, take, null, `take ${take.take}: task ${take.taskId ?? ''} at the gateway`);
      },
      followed: (take) => {
        this.#awaited.delete(take.take);
        this.#note(take);
        if (this.#hasBudget) this.#report(`take ${take.take} failed; another one follows`);
      },
      parked: (parked) => {
        this.#awaited.delete(parked.take.take);
        this.#moved(sibling, parked.take, parked, parked.reason);
      },
      resumed: (take) => {
        this.#moved(sibling, take, null, 'continues');
      },
    };
  }

  takeEnded(sibling: number, { state, reason, take }: TakeOutcome): void {
    const before = this.#summary();
    this.#open.delete(sibling);
    if (take !== null) {
      this.#awaited.delete(take.take);
      this.#note(take);
    }
    const choice = this.#choice;
    if (this.#open.size === 0 && choice?.isInReview !== true) return;
    const now = this.#summary();
    // The first completed take is reported when it is chosen. The end of the last take is part of the shot's outcome.
    const isNews = choice === null ? state !== 'completed' && now.state !== before.state : choice.isInReview;
    // If this is not reported, the production's status still asks for a decision about the ended take.
    const isStillParked = before.parkedTakes !== undefined && now.state === 'parked';
    const words = reason ?? `take ${take?.take ?? 0} has ended`;
    if (!isNews && !this.#hasBudget && (!isStillParked || !patched('parked-takes-told'))) return;
    this.#report(words);
  }

  /** Notes the chosen take. The choice waits for an approval if `isInReview`, and is final otherwise. */
  chosen(take: TakeProgress, isInReview: boolean): void {
    this.#note(take);
    this.#choice = { take, isInReview };
    // If the choice is final and all takes have ended, the shot ends at once, and its outcome reports the choice.
    if (isInReview || this.#open.size > 0) {
      this.#report(`take ${take.take} ${isInReview ? 'waits for an approval' : 'is chosen'}`);
    }
  }

  /** Reports the outcome if the production does not see it as its child's result, and then awaits the delivery. */
  async ended(outcome: ShotOutcome): Promise<void> {
    const { state, reason, filmTake } = outcome;
    this.#showInUi(state, reason ?? `take ${filmTake ?? 0}`);
    this.#end = outcome;
    if (!this.#hasParentForgotten) return;
    this.#notifyProduction();
    await CancellationScope.nonCancellable(() => condition(() => !this.#isSending));
  }

  #fullReportAsked(): void {
    this.#hasParentForgotten = true;
    if (this.#takes.size === 0 && !this.#hasBudget) return;
    this.#isFullReportDue = true;
    this.#notifyProduction();
  }

  #moved(sibling: number, take: TakeProgress, parked: Parked | null, words: string): void {
    this.#note(take);
    this.#open.set(sibling, parked);
    this.#report(words);
  }

  #note(take: TakeProgress): void {
    this.#takes.set(take.take, take);
    this.#unreported.set(take.take, take);
  }

  #report(words: string): void {
    const now = this.#summary();
    this.#showInUi(now.state, now.reason ?? words);
    this.#notifyProduction();
  }

  #notifyProduction(): void {
    this.#isDue = true;
    if (!this.#isSending) void CancellationScope.nonCancellable(() => this.#deliver());
  }

  /** Sends one signal at a time, since two signals at once may arrive out of order. */
  async #deliver(): Promise<void> {
    this.#isSending = true;
    while (this.#isDue) {
      const progress = this.#progress();
      this.#isDue = false;
      this.#isFullReportDue = false;
      this.#unreported.clear();
      await signalProduction(progress);
    }
    this.#isSending = false;
  }

  #progress(): ShotProgress {
    const reported = this.#isFullReportDue ? this.#takes : this.#unreported;
    return {
      shotId: this.#input.task.shotId,
      runId: this.#runId,
      takes: [...reported.values()],
      awaited: [...this.#awaited],
      ...this.#summaryToReport(),
      ...(this.#isFullReportDue && this.#hasBudget ? { reservations: this.#budgetClient.openReservations() } : {}),
      ...(this.#end === null ? {} : { ended: this.#end }),
    };
  }

  /** The state to report. A take that is approved automatically at once is not reported as in review. */
  #summaryToReport(): ShotSummary {
    const now = this.#summary();
    const isApprovedAtOnce = now.state === 'review' && this.#input.review?.withinSeconds === 0;
    return isApprovedAtOnce ? { ...now, state: 'rendering', reason: null, filmTake: null } : now;
  }

  #summary(): ShotSummary {
    return summaryOf({ takes: this.#takes, open: this.#open, choice: this.#choice });
  }
}

/** If the production is gone, the report is not needed: the next render reads the ledger. */
async function signalProduction(progress: ShotProgress): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  const production = getExternalWorkflowHandle(parent.workflowId);
  await production.signal(shotProgressSignal, progress).catch(() => undefined);
}
