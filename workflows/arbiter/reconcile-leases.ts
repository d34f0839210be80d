import { condition } from '@temporalio/workflow';
import type { HeldLease, Survey, SurveyInput } from '../../contracts/arbiter';
import { untilServed } from '../temporal/activity-failures';
import { surveyActivities } from '../temporal/activity-options';
import type { ArbiterState } from './arbiter-state';
import { nowMs } from '../temporal/clock';
import type { LeaseAccount } from './lease-account';

/** While somebody waits, the ledger is asked so often what has become of what was granted: a word may be lost. */
const LOOK_EVERY_MS = 60_000;

/** Names of limits that somebody may still go by. */
const FORMER_LIMITS = 8;

/** How an arbiter is to learn anew what is under way. */
type Due = Pick<SurveyInput, 'begins' | 'whole'>;

/** What an arbiter finds out from the ledger, and tells its account. */
export interface LeaseReconciler {
  /** Whether it has to learn before it grants anything. */
  isDue(): boolean;
  /** Learns what is due. Nothing is to be granted meanwhile. */
  learn(): Promise<void>;
  /** Has everything read anew, and resolves once it has. */
  readAnew(): Promise<void>;
  /** Somebody asks by these limits; those that are not known have everything read anew. */
  goBy(force: string): void;
  /** Another arbiter counts in the store: what this one has granted is worth nothing. */
  beginEpoch(): void;
  /** Something held is to be looked for. */
  doubt(): void;
  /**
   * Looks for what is held, beside the granting, where it is time to.
   *
   * @returns when it is to be called again; Infinity where the clock alone is no reason.
   */
  look(atMs: number): number;
  /** Throws what a look beside the granting has failed with. */
  throwIfBroken(): void;
  readonly epoch: () => number;
  readonly view: () => { readonly isLearning: boolean; readonly unreadable: readonly string[] };
  /** What the next run is to know. */
  readonly carried: () => Pick<ArbiterState, 'epoch' | 'forces'>;
}

/** @param onLooked called when a look beside the granting has ended. */
export function openLeaseReconciler(
  account: LeaseAccount,
  before: ArbiterState | null,
  onLooked: () => void,
): LeaseReconciler {
  let epoch = before?.epoch ?? 0;
  let forces = before?.forces ?? [];
  let unreadable: readonly string[] = [];
  /** Null where it knows. */
  let due: Due | null = { begins: { follows: before?.epoch ?? null }, whole: before === null || before.whole };
  let learned = 0;
  let isLearning = false;
  /** Whether something is to be looked for beside the granting, and whether it is. */
  let isInDoubt = false;
  let isLooking = false;
  let lastLookMs = nowMs();
  const broken: unknown[] = [];

  function know(found: Survey, asked: readonly HeldLease[], isNewEpoch: boolean): void {
    account.survey(found, asked, isNewEpoch);
    unreadable = found.underWay === undefined ? [...new Set([...unreadable, ...found.unreadable])] : found.unreadable;
    lastLookMs = nowMs();
  }
  /** The gateway may be slow to answer. */
  async function lookBeside(): Promise<void> {
    const learnedBefore = learned;
    isInDoubt = false;
    isLooking = true;
    const asked = account.held();
    const found = await surveyed({ whole: false, held: asked.map(brief) });
    isLooking = false;
    onLooked();
    // What was learned meanwhile is newer.
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
      // Only a look at everything has found what was sent while others were in force, or none.
      if (whole && force !== null && !forces.includes(force)) forces = [...forces, force].slice(-FORMER_LIMITS);
      know(found, asked, begins?.follows === null);
    },
    readAnew() {
      // One that is under way may have read them before they changed.
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

/** What the store knows, however long it takes to be asked. */
function surveyed(input: SurveyInput): Promise<Survey> {
  return untilServed(() => surveyActivities().survey(input));
}

function brief(held: HeldLease): SurveyInput['held'][number] {
  const { productionId, shotId, take, takeKey, sending, model, deadlineSeconds, sinceMs } = held;
  return { productionId, shotId, take, takeKey, sending, model, deadlineSeconds, sinceMs };
}
