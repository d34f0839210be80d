import { condition } from '@temporalio/workflow';
import type { HeldLease, Survey, SurveyInput } from '../../contracts/gateway/arbiter';
import { untilServed } from '../temporal/activity-failures';
import { surveyActivities } from '../temporal/activity-options';
import type { ArbiterState, CarriedSurveys } from './arbiter-state';
import { nowMs } from '../temporal/clock';
import type { LeaseAccount } from './lease-account';
import { attemptKey } from '../take/attempt-key';

/** Interval between checks of the held leases while a take waits for one. Reports of ended leases may get lost. */
const CHECK_EVERY_MS = 60_000;

/**
 * Number of versions of the limits that are remembered (`forces`): those under which the whole account was surveyed.
 */
const KNOWN_LIMITS = 8;

/** The survey that has to be made next. */
type Due = Pick<SurveyInput, 'begins' | 'whole'>;

/**
 * Reads the ledger and overdue tasks at the gateway for the arbiter. Its `LeaseAccount` gets the results.
 *
 * Nothing is granted during a survey. A check covers only the held leases, and granting continues meanwhile.
 */
export class LeaseReconciler {
  readonly #account: LeaseAccount;
  readonly #onChecked: () => void;
  #epoch: number;
  #forces: readonly string[];
  #unreadable: readonly string[];
  /** Keys of held leases whose takes could not be read at the last survey or check. */
  #unreadableLeases: readonly string[];
  #due: Due | null;
  #surveysDone = 0;
  #isSurveying = false;
  #isCheckRequested = false;
  #isChecking = false;
  #lastCheckMs = nowMs();
  readonly #broken: unknown[] = [];

  /** @param onChecked called when a check has ended. */
  constructor(account: LeaseAccount, before: ArbiterState | null, onChecked: () => void) {
    this.#account = account;
    this.#onChecked = onChecked;
    this.#epoch = before?.epoch ?? 0;
    this.#forces = before?.forces ?? [];
    this.#unreadable = before?.unreadable ?? [];
    this.#unreadableLeases = before?.unreadableLeases ?? [];
    this.#due = { begins: { follows: before?.epoch ?? null }, whole: before === null || before.whole };
  }

  /** Whether a survey has to be made before anything is granted. */
  isDue(): boolean {
    return this.#due !== null;
  }

  /** Makes the survey that is due. */
  async survey(): Promise<void> {
    if (this.#due === null) return;
    const { begins, whole } = this.#due;
    this.#due = null;
    this.#isSurveying = true;
    const asked = this.#account.held();
    const found = await surveyed({ ...(begins === undefined ? {} : { begins }), whole, held: asked.map(brief) });
    this.#isSurveying = false;
    this.#surveysDone += 1;
    if (begins !== undefined) this.#epoch = found.epoch;
    const { force } = found;
    // Only a survey of the whole account finds the sendings that began while other limits, or none, were in force.
    if (whole && force !== null && !this.#forces.includes(force))
      this.#forces = [...this.#forces, force].slice(-KNOWN_LIMITS);
    this.#apply(found, asked, begins?.follows === null);
  }

  /** Requests a survey of the whole account, and resolves when it is done. */
  surveyWholeAccount(): Promise<void> {
    // A running survey may have read the limits before they changed.
    const wanted = this.#surveysDone + (this.#isSurveying ? 2 : 1);
    this.#due = { ...this.#due, whole: true };
    return condition(() => this.#surveysDone >= wanted);
  }

  /**
   * Requests a survey of the whole account if `force` is not empty and not in `forces`.
   *
   * @param force version of the limits that a requester knows; empty if it knows none.
   */
  surveyIfUnknown(force: string): void {
    if (force !== '' && !this.#forces.includes(force)) this.#due = { ...this.#due, whole: true };
  }

  /** Requests a survey that begins a new epoch. Called if the store no longer accepts leases of the present epoch. */
  requestEpoch(): void {
    this.#due = { begins: { follows: null }, whole: true };
  }

  /** Requests a check of the held leases. */
  requestCheck(): void {
    this.#isCheckRequested = true;
  }

  /**
   * Starts a check of the held leases if a check was requested or the interval has passed. Does not wait for its
   * result.
   *
   * @returns the time at which to call this again; Infinity if no time is set.
   */
  checkIfDue(atMs: number): number {
    const hasToCheck = this.#account.isWaitedFor() && this.#account.held().length > 0;
    const nextMs = hasToCheck ? this.#lastCheckMs + CHECK_EVERY_MS : Infinity;
    if (!this.#isChecking && (this.#isCheckRequested || nextMs <= atMs)) {
      this.#check().catch((error: unknown) => {
        this.#broken.push(error);
        this.#onChecked();
      });
    }
    return this.#isChecking ? Infinity : nextMs;
  }

  /** Throws the error of a failed check. */
  throwIfBroken(): void {
    for (const error of this.#broken) throw error;
  }

  epoch(): number {
    return this.#epoch;
  }

  view(): { readonly isLearning: boolean; readonly unreadable: readonly string[] } {
    return { isLearning: this.#isSurveying || this.#surveysDone === 0, unreadable: this.#unreadable };
  }

  carried(): CarriedSurveys {
    return {
      ...{ epoch: this.#epoch, forces: this.#forces },
      ...{ unreadable: this.#unreadable, unreadableLeases: this.#unreadableLeases },
    };
  }

  /** Checks the held leases. The check can take long, since its activity also reads tasks at the gateway. */
  async #check(): Promise<void> {
    const doneBefore = this.#surveysDone;
    this.#isCheckRequested = false;
    this.#isChecking = true;
    const asked = this.#account.held();
    const found = await surveyed({ whole: false, held: asked.map(brief) });
    this.#isChecking = false;
    this.#onChecked();
    // A survey that began meanwhile has a newer result.
    if (this.#surveysDone === doneBefore && !this.#isSurveying) this.#apply(found, asked, false);
    else this.#isCheckRequested = true;
  }

  #apply(found: Survey, asked: readonly HeldLease[], isNewEpoch: boolean): void {
    this.#account.applySurvey(found, asked, isNewEpoch);
    this.#unreadable =
      found.underWay === undefined ? [...new Set([...this.#unreadable, ...found.unreadable])] : found.unreadable;
    this.#unreadableLeases = (found.unreadableLeases ?? []).map(attemptKey);
    this.#lastCheckMs = nowMs();
  }
}

/** Makes a survey. Repeats the activity after each timeout. */
function surveyed(input: SurveyInput): Promise<Survey> {
  return untilServed(() => surveyActivities().survey(input));
}

function brief(held: HeldLease): SurveyInput['held'][number] {
  const { productionId, shotId, take, takeKey, sending, model, deadlineSeconds, sinceMs } = held;
  return { productionId, shotId, take, takeKey, sending, model, deadlineSeconds, sinceMs };
}
