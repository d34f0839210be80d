import { condition } from '@temporalio/workflow';
import type { HeldLease, Survey, SurveyInput } from '../../contracts/gateway/arbiter';
import { untilServed } from '../temporal/activity-failures';
import { surveyActivities } from '../temporal/activity-options';
import type { ArbiterState } from './arbiter-state';
import { nowMs } from '../temporal/clock';
import type { LeaseAccount } from './lease-account';

/** Interval between checks of the held leases while a take waits for one. Reports of ended leases may get lost. */
const CHECK_EVERY_MS = 60_000;

/**
 * Number of versions of the limits that are remembered (`forces`): those under which the whole account was surveyed.
 */
const KNOWN_LIMITS = 8;

/** The survey that has to be made next. */
type Due = Pick<SurveyInput, 'begins' | 'whole'>;

/**
 * The arbiter's reads of the ledger, and of overdue tasks at the gateway. Their results go to its `LeaseAccount`.
 *
 * Nothing is granted during a survey. A check covers only the held leases, and granting continues meanwhile.
 */
export interface LeaseReconciler {
  /** Whether a survey has to be made before anything is granted. */
  isDue(): boolean;
  /** Makes the survey that is due. */
  survey(): Promise<void>;
  /** Requests a survey of the whole account, and resolves when it is done. */
  surveyWholeAccount(): Promise<void>;
  /**
   * Requests a survey of the whole account if `force` is not empty and not in `forces`.
   *
   * @param force version of the limits that a requester knows; empty if it knows none.
   */
  surveyIfUnknown(force: string): void;
  /** Requests a survey that begins a new epoch. Called if the store no longer accepts leases of the present epoch. */
  requestEpoch(): void;
  /** Requests a check of the held leases. */
  requestCheck(): void;
  /**
   * Starts a check of the held leases if a check was requested or the interval has passed. Does not wait for its
   * result.
   *
   * @returns the time at which to call this again; Infinity if no time is set.
   */
  checkIfDue(atMs: number): number;
  /** Throws the error of a failed check. */
  throwIfBroken(): void;
  readonly epoch: () => number;
  readonly view: () => { readonly isLearning: boolean; readonly unreadable: readonly string[] };
  readonly carried: () => Pick<ArbiterState, 'epoch' | 'forces'>;
}

/** @param onChecked called when a check has ended. */
export function openLeaseReconciler(
  account: LeaseAccount,
  before: ArbiterState | null,
  onChecked: () => void,
): LeaseReconciler {
  let epoch = before?.epoch ?? 0;
  let forces = before?.forces ?? [];
  let unreadable: readonly string[] = [];
  let due: Due | null = { begins: { follows: before?.epoch ?? null }, whole: before === null || before.whole };
  let surveysDone = 0;
  let isSurveying = false;
  let isCheckRequested = false;
  let isChecking = false;
  let lastCheckMs = nowMs();
  const broken: unknown[] = [];

  function apply(found: Survey, asked: readonly HeldLease[], isNewEpoch: boolean): void {
    account.applySurvey(found, asked, isNewEpoch);
    unreadable = found.underWay === undefined ? [...new Set([...unreadable, ...found.unreadable])] : found.unreadable;
    lastCheckMs = nowMs();
  }
  /** Checks the held leases. The check can take long, since its activity also reads tasks at the gateway. */
  async function check(): Promise<void> {
    const doneBefore = surveysDone;
    isCheckRequested = false;
    isChecking = true;
    const asked = account.held();
    const found = await surveyed({ whole: false, held: asked.map(brief) });
    isChecking = false;
    onChecked();
    // The result of a survey that was made meanwhile is newer.
    if (surveysDone === doneBefore && !isSurveying) apply(found, asked, false);
    else isCheckRequested = true;
  }

  return {
    isDue: () => due !== null,
    async survey() {
      if (due === null) return;
      const { begins, whole } = due;
      due = null;
      isSurveying = true;
      const asked = account.held();
      const found = await surveyed({ ...(begins === undefined ? {} : { begins }), whole, held: asked.map(brief) });
      isSurveying = false;
      surveysDone += 1;
      if (begins !== undefined) epoch = found.epoch;
      const { force } = found;
      // Only a survey of the whole account finds the sendings that began while other limits, or none, were in force.
      if (whole && force !== null && !forces.includes(force)) forces = [...forces, force].slice(-KNOWN_LIMITS);
      apply(found, asked, begins?.follows === null);
    },
    surveyWholeAccount() {
      // A running survey may have read the limits before they changed.
      const wanted = surveysDone + (isSurveying ? 2 : 1);
      due = { ...due, whole: true };
      return condition(() => surveysDone >= wanted);
    },
    surveyIfUnknown(force) {
      if (force !== '' && !forces.includes(force)) due = { ...due, whole: true };
    },
    requestEpoch() {
      due = { begins: { follows: null }, whole: true };
    },
    requestCheck() {
      isCheckRequested = true;
    },
    checkIfDue(atMs) {
      const hasToCheck = account.isWaitedFor() && account.held().length > 0;
      const nextMs = hasToCheck ? lastCheckMs + CHECK_EVERY_MS : Infinity;
      if (!isChecking && (isCheckRequested || nextMs <= atMs)) {
        check().catch((error: unknown) => {
          broken.push(error);
          onChecked();
        });
      }
      return isChecking ? Infinity : nextMs;
    },
    throwIfBroken() {
      for (const error of broken) throw error;
    },
    epoch: () => epoch,
    view: () => ({ isLearning: isSurveying || surveysDone === 0, unreadable }),
    carried: () => ({ epoch, forces }),
  };
}

/** Makes a survey. Repeats the activity after each timeout. */
function surveyed(input: SurveyInput): Promise<Survey> {
  return untilServed(() => surveyActivities().survey(input));
}

function brief(held: HeldLease): SurveyInput['held'][number] {
  const { productionId, shotId, take, takeKey, sending, model, deadlineSeconds, sinceMs } = held;
  return { productionId, shotId, take, takeKey, sending, model, deadlineSeconds, sinceMs };
}
