import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  setWorkflowOptions,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { ArbiterView, HeldLease, LeaseAsk, LeaseNews, Survey, SurveyInput } from '../contracts/arbiter';
import { isTimeout } from './activity-failures';
import { surveyActivities } from './activity-options';
import { type ArbiterState, MOST_WAITING, packed, unpacked } from './arbiter-state';
import { LeaseAccount } from './lease-account';
import { arbiterViewQuery, askLeaseSignal, leaseEndedSignal, leaseSignal, limitsChangedUpdate } from './messages';

/** Past this length of its history another run takes over: a long one takes long to be read by another worker. */
const LONGEST_HISTORY = 2_000;

/** While somebody waits, the ledger is asked so often what has become of what was granted: a word may be lost. */
const LOOK_EVERY_MS = 60_000;

/** Names of limits that somebody may still go by. */
const FORMER_LIMITS = 8;

/** Answers on their way at once: the server refuses a workflow that leaves 2,000 pending. */
const MOST_ANSWERS = 100;

/** How it is to learn anew what is under way; null where it knows. */
type Due = Pick<SurveyInput, 'begins' | 'whole'> | null;

/** Bounds for tests. */
interface ArbiterBounds {
  readonly longestHistory?: number;
}

/**
 * Grants the right to submit, for one gateway account and one store: one of it runs, and whoever asks first starts it.
 *
 * It hears who asks and what has ended, in any order, once or more often or not at all; what it does not hear, or has
 * forgotten, it learns from the ledger. See docs/decisions/0017-arbiter.md.
 */
export async function arbiter(before: ArbiterState | null, bounds: ArbiterBounds = {}): Promise<void> {
  const account = new LeaseAccount(before === null ? null : unpacked(before));
  const inbox: ({ readonly ask: LeaseAsk } | { readonly told: LeaseNews })[] = [];
  let epoch = before?.epoch ?? 0;
  let forces = before?.forces ?? [];
  let unreadable: readonly string[] = [];
  let due: Due = { begins: { follows: before?.epoch ?? null }, whole: before === null || before.whole };
  let learned = 0;
  let isLearning = false;
  /** Whether something is to be looked for in the ledger beside the granting, and whether it is. */
  let isInDoubt = false;
  let isLooking = false;
  let lastLookMs = Date.now();
  const broken: unknown[] = [];
  /** Answers on their way to holders. */
  let answering = 0;
  /** Grows with everything beside the inbox that is a reason to look again. */
  let events = 0;

  setHandler(askLeaseSignal, (ask) => {
    inbox.push({ ask });
  });
  setHandler(leaseEndedSignal, (told) => {
    inbox.push({ told });
  });
  setHandler(arbiterViewQuery, (nowMs) => view(nowMs));
  setHandler(limitsChangedUpdate, async () => {
    // One that is under way may have read them before they changed.
    const wanted = learned + (isLearning ? 2 : 1);
    due = { ...due, whole: true };
    await condition(() => learned >= wanted);
    return view();
  });

  function view(nowMs = Date.now()): ArbiterView {
    const asking = inbox.filter((news) => 'ask' in news).length;
    return { ...account.view(nowMs), isLearning: isLearning || learned === 0, asking, unreadable };
  }

  /** Nothing is granted meanwhile. */
  async function learn({ begins, whole }: NonNullable<Due>): Promise<void> {
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
  }

  /** Beside the granting: the gateway may be slow to answer. */
  async function look(): Promise<void> {
    const before = learned;
    isInDoubt = false;
    isLooking = true;
    const asked = account.held();
    const found = await surveyed({ whole: false, held: asked.map(brief) });
    isLooking = false;
    events += 1;
    // What was learned meanwhile is newer.
    if (learned === before && !isLearning) know(found, asked, false);
    else isInDoubt = true;
  }

  function know(found: Survey, asked: readonly HeldLease[], isNewEpoch: boolean): void {
    account.survey(found, asked, isNewEpoch);
    unreadable = found.underWay === undefined ? [...new Set([...unreadable, ...found.unreadable])] : found.unreadable;
    lastLookMs = Date.now();
  }

  function hear(ask: LeaseAsk): void {
    const { still, force, refused, throttled, ...wanted } = ask;
    if (account.isPast(ask)) return;
    const nowMs = Date.now();
    account.goOn(ask, still);
    if (throttled !== undefined) account.throttled(nowMs, throttled.retryAfterMs);
    if (refused?.epoch === epoch) {
      // The store knows another arbiter as the one that counts: what this one granted is worth nothing.
      due = { begins: { follows: null }, whole: true };
      account.end({ takeKey: ask.takeKey, sending: ask.sending, how: 'withdrawn', credits: 0 });
    } else if (force !== '' && !forces.includes(force)) due = { ...due, whole: true };
    const again = account.again(wanted, nowMs);
    if (again === undefined) account.ask({ ...wanted, sinceMs: nowMs });
    else answer(again, ask.holder, () => undefined);
  }

  function answer({ takeKey, sending, useByMs }: HeldLease, holder: string, isGone: () => void): void {
    const { runId } = workflowInfo();
    const lease = { takeKey, sending, epoch, runId, useBy: new Date(useByMs ?? 0).toISOString() };
    answering += 1;
    getExternalWorkflowHandle(holder)
      .signal(leaseSignal, lease)
      .catch(isGone)
      .finally(() => {
        answering -= 1;
        events += 1;
      });
  }

  function grant(nowMs: number): void {
    for (const { lease, holder } of account.grant(nowMs, MOST_ANSWERS - answering)) {
      // Whoever is gone before he had it sends nothing. One that had it before may be sending, and keeps its place.
      const { takeKey, sending } = lease;
      answer(lease, holder, () => {
        account.end({ takeKey, sending, how: 'withdrawn', credits: 0 });
      });
    }
  }

  const alarm = openAlarm(() => {
    events += 1;
  });
  const isDue = (): boolean => due !== null;
  const mayLook = (): boolean => !isLooking;
  const mayHear = (): boolean => inbox.length > 0 && answering < MOST_ANSWERS;
  for (;;) {
    while (due !== null) {
      const now: NonNullable<Due> = due;
      due = null;
      await learn(now);
    }
    while (mayHear()) {
      const news = inbox.shift();
      if (news === undefined) break;
      if ('ask' in news) hear(news.ask);
      else if (news.told.how === 'unclear') account.unclear(news.told);
      else if (news.told.how !== 'cancelled') account.end(news.told);
      else if (account.doubt(news.told)) isInDoubt = true;
    }
    if (isDue()) continue;
    for (const error of broken) throw error;
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    const isLong = historyLength > (bounds.longestHistory ?? LONGEST_HISTORY) || continueAsNewSuggested;
    const isQuiet = (): boolean => answering === 0 && inbox.length === 0 && allHandlersFinished();
    const nowMs = Date.now();
    if (isLong && isQuiet()) {
      // A look that is under way is begun anew by the next run.
      await continueAsNew<typeof arbiter>(packed(account.state(nowMs, MOST_WAITING), { epoch, forces, nowMs }), bounds);
    }
    if (!isLong) grant(nowMs);
    const isLookedFor = account.isWaitedFor() && account.held().length > 0;
    const lookAtMs = isLookedFor ? lastLookMs + LOOK_EVERY_MS : Infinity;
    if (mayLook() && (isInDoubt || lookAtMs <= nowMs)) {
      look().catch((error: unknown) => {
        broken.push(error);
        events += 1;
      });
    }
    alarm.set(Math.min(mayLook() ? lookAtMs : Infinity, account.wakeAtMs(nowMs) ?? Infinity));
    const seen = events;
    await condition(() => mayHear() || isDue() || events !== seen || (isLong && isQuiet()));
  }
}

// It never ends: pinned, it would keep the workers that it began with for ever. The server refuses it where workers have
// no versions.
setWorkflowOptions(
  () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' } : {}),
  arbiter,
);

/** What the store knows, however long it takes to be asked. */
async function surveyed(input: SurveyInput): Promise<Survey> {
  for (;;) {
    try {
      return await surveyActivities().survey(input);
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
  }
}

function brief({
  productionId,
  shotId,
  take,
  takeKey,
  sending,
  model,
  deadlineSeconds,
  sinceMs,
}: HeldLease): SurveyInput['held'][number] {
  return { productionId, shotId, take, takeKey, sending, model, deadlineSeconds, sinceMs };
}

/** One timer that is set anew only where it has to ring earlier: each is two events. It may ring too early. */
function openAlarm(ring: () => void): { readonly set: (atMs: number) => void } {
  let atMs = Infinity;
  let scope = new CancellationScope();
  return {
    set(wantedMs) {
      if (wantedMs >= atMs) return;
      scope.cancel();
      scope = new CancellationScope();
      atMs = wantedMs;
      const own = scope;
      scope
        .run(() => sleep(Math.max(1, wantedMs - Date.now())))
        .then(
          () => {
            if (own === scope) atMs = Infinity;
            ring();
          },
          () => undefined,
        );
    },
  };
}
