import { condition } from '@temporalio/workflow';
import type { HeldLease, Survey, SurveyInput } from '../../contracts/arbiter';
import { untilServed } from '../temporal/activity-failures';
import { surveyActivities } from '../temporal/activity-options';
import type { ArbiterState } from './arbiter-state';
import { nowMs } from '../temporal/clock';
import type { LeaseAccount } from './lease-account';

/** Interval of checks of the held leases while somebody waits, since reports of their ends may be lost. */
const LOOK_EVERY_MS = 60_000;

/** Number of former limits whose names are remembered. */
const FORMER_LIMITS = 8;

/** The survey that has to be made next. */
type Due = Pick<SurveyInput, 'begins' | 'whole'>;

/** The arbiter's surveys of the ledger. Their results go to its `LeaseAccount`. */
export interface LeaseReconciler {
  /** Whether a survey has to be made before anything is granted. */
  isDue(): boolean;
  /** Makes the survey that is due. Nothing is granted meanwhile. */
  learn(): Promise<void>;
  /** Requests a survey of the whole account, and resolves when it is done. */
  readAnew(): Promise<void>;
  /** Notes the limits that a requester knows. Unknown ones lead to a survey of the whole account. */
  goBy(force: string): void;
  /** Begins a new epoch, because the store no longer counts leases of the present one. */
  beginEpoch(): void;
  /** Requests a check of the held leases. */
  doubt(): void;
  /**
   * Starts a check of the held leases, if one is due. Granting continues meanwhile.
   *
   * @returns when to call again; Infinity if no time is set.
   */
  look(atMs: number): number;
  /** Throws the error of a failed check. */
  throwIfBroken(): void;
  readonly epoch: () => number;
  readonly view: () => { readonly isLearning: boolean; readonly unreadable: readonly string[] };
  readonly carried: () => Pick<ArbiterState, 'epoch' | 'forces'>;
}

/** @param onLooked called when a check has ended. */
export function openLeaseReconciler(
  account: LeaseAccount,
  before: ArbiterState | null,
  onLooked: () => void,
): LeaseReconciler {
  let epoch = before?.epoch ?? 0;
  let forces = before?.forces ?? [];
  let unreadable: readonly string[] = [];
  let due: Due | null = { begins: { follows: before?.epoch ?? null }, whole: before === null || before.whole };
  let learned = 0;
  let isLearning = false;
  /** Whether a check was requested, and whether one is running. */
  let isInDoubt = false;
  let isLooking = false;
  let lastLookMs = nowMs();
  const broken: unknown[] = [];

  function know(found: Survey, asked: readonly HeldLease[], isNewEpoch: boolean): void {
    account.survey(found, asked, isNewEpoch);
    unreadable = found.underWay === undefined ? [...new Set([...unreadable, ...found.unreadable])] : found.unreadable;
    lastLookMs = nowMs();
  }
  /** Checks the held leases. The gateway may be slow to answer. */
  async function lookBeside(): Promise<void> {
    const learnedBefore = learned;
    isInDoubt = false;
    isLooking = true;
    const asked = account.held();
    const found = await surveyed({ whole: false, held: asked.map(brief) });
    isLooking = false;
    onLooked();
    // The result of a survey that was made meanwhile is newer.
    if (learned === learnedBefore && !isLearning) know(found, asked, false);
    else isInDoubt = true;
  }

  return {
    isDue: () => due !== null,
    async learn() {
      if (due === null) return;
      const { begins, whole } = due;
      due = null;
      isLearning = true;
      const asked = account.held();
      const found = await surveyed({ ...(begins === undefined ? {} : { begins }), whole, held: asked.map(brief) });
      isLearning = false;
      learned += 1;
      if (begins !== undefined) epoch = found.epoch;
      const { force } = found;
      // Only a survey of the whole account finds what was sent under other limits or none.
      if (whole && force !== null && !forces.includes(force)) forces = [...forces, force].slice(-FORMER_LIMITS);
      know(found, asked, begins?.follows === null);
    },
    readAnew() {
      // A running survey may have read the limits before they changed.
      const wanted = learned + (isLearning ? 2 : 1);
      due = { ...due, whole: true };
      return condition(() => learned >= wanted);
    },
    goBy(force) {
      if (force !== '' && !forces.includes(force)) due = { ...due, whole: true };
    },
    beginEpoch() {
      due = { begins: { follows: null }, whole: true };
    },
    doubt() {
      isInDoubt = true;
    },
    look(atMs) {
      const isLookedFor = account.isWaitedFor() && account.held().length > 0;
      const nextMs = isLookedFor ? lastLookMs + LOOK_EVERY_MS : Infinity;
      if (!isLooking && (isInDoubt || nextMs <= atMs)) {
        lookBeside().catch((error: unknown) => {
          broken.push(error);
          onLooked();
        });
      }
      return isLooking ? Infinity : nextMs;
    },
    throwIfBroken() {
      for (const error of broken) throw error;
    },
    epoch: () => epoch,
    view: () => ({ isLearning: isLearning || learned === 0, unreadable }),
    carried: () => ({ epoch, forces }),
  };
}

/** Makes a survey, however long it takes. */
function surveyed(input: SurveyInput): Promise<Survey> {
  return untilServed(() => surveyActivities().survey(input));
}

function brief(held: HeldLease): SurveyInput['held'][number] {
  const { productionId, shotId, take, takeKey, sending, model, deadlineSeconds, sinceMs } = held;
  return { productionId, shotId, take, takeKey, sending, model, deadlineSeconds, sinceMs };
}
