import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { HeldLease, LeaseAsk, LeaseEnd, Survey, SurveyInput } from '../contracts/arbiter';
import { decisionActivities, isTimeout } from './activity-options';
import { type ArbiterState, MOST_WAITING, packed, unpacked } from './arbiter-state';
import { LeaseAccount } from './lease-account';
import { arbiterViewQuery, askLeaseSignal, leaseEndedSignal, leaseSignal, limitsChangedUpdate } from './messages';

/** Past this length of its history another run takes over: a long one takes long to be read by another worker. */
const LONGEST_HISTORY = 2_000;

/** While somebody waits, the ledger is asked so often what has become of what was granted: a word may be lost. */
const LOOK_EVERY_MS = 60_000;

/** Names of limits that somebody may still go by. */
const FORMER_LIMITS = 8;

/** How the next survey goes; null where none is due. */
type Due = Pick<SurveyInput, 'begins' | 'whole'> | null;

/**
 * Grants the right to submit, for one gateway account and one store: one of it runs, and whoever asks first starts it.
 *
 * It hears who asks and what has ended, in any order, once or more often or not at all; what it does not hear, or has
 * forgotten, it learns from the ledger. See docs/decisions/0017-arbiter.md.
 */
export async function arbiter(before: ArbiterState | null): Promise<void> {
  const account = new LeaseAccount(before === null ? null : unpacked(before));
  const inbox: ({ readonly ask: LeaseAsk } | { readonly end: LeaseEnd })[] = [];
  let epoch = before?.epoch ?? 0;
  let forces = before?.forces ?? [];
  let due: Due = { begins: { follows: before?.epoch ?? null }, whole: before === null };
  let lastLookMs = Date.now();
  let surveys = 0;
  let isSurveying = false;
  /** Answers on their way to holders. */
  let answering = 0;
  /** Grows with everything beside the inbox that is a reason to look again. */
  let events = 0;

  setHandler(askLeaseSignal, (ask) => {
    inbox.push({ ask });
  });
  setHandler(leaseEndedSignal, (end) => {
    inbox.push({ end });
  });
  setHandler(arbiterViewQuery, () => account.view(Date.now()));
  setHandler(limitsChangedUpdate, async () => {
    // One that is under way may have read them before they changed.
    const wanted = surveys + (isSurveying ? 2 : 1);
    due = { ...due, whole: true };
    await condition(() => surveys >= wanted);
    return account.view(Date.now());
  });

  async function survey({ begins, whole }: NonNullable<Due>): Promise<void> {
    const held = account.held();
    isSurveying = true;
    const found = await surveyed({ ...(begins === undefined ? {} : { begins }), whole, held: held.map(brief) });
    isSurveying = false;
    if (begins !== undefined) epoch = found.epoch;
    if (found.force !== null && !forces.includes(found.force)) forces = [...forces, found.force].slice(-FORMER_LIMITS);
    const nowMs = Date.now();
    account.survey(found, nowMs, begins?.follows === null);
    lastLookMs = nowMs;
    surveys += 1;
  }

  async function surveyIfDue(): Promise<void> {
    while (due !== null) {
      const now = due;
      due = null;
      await survey(now);
    }
  }

  function hear(ask: LeaseAsk): void {
    const { still, force, refused, throttled, ...wanted } = ask;
    const nowMs = Date.now();
    account.keepOnly(ask.takeKey, [...still, ask.sending]);
    if (throttled !== undefined) account.throttled(nowMs, throttled.retryAfterMs);
    if (refused?.epoch === epoch) {
      // The store knows another arbiter as the one that counts: what this one granted is worth nothing.
      due = { begins: { follows: null }, whole: true };
      account.end({ takeKey: ask.takeKey, sending: ask.sending, how: 'withdrawn', credits: 0 });
    } else if (force !== '' && !forces.includes(force)) due = { ...due, whole: true };
    const again = account.again(wanted, nowMs);
    if (again === undefined) account.ask({ ...wanted, sinceMs: nowMs });
    else answer(again, ask.holder);
  }

  function answer({ takeKey, sending, useByMs }: HeldLease, holder: string): void {
    const { runId } = workflowInfo();
    const lease = { takeKey, sending, epoch, runId, useBy: new Date(useByMs ?? 0).toISOString() };
    answering += 1;
    getExternalWorkflowHandle(holder)
      .signal(leaseSignal, lease)
      // Whoever is gone sends nothing.
      .catch(() => {
        account.end({ takeKey, sending, how: 'withdrawn', credits: 0 });
      })
      .finally(() => {
        answering -= 1;
        events += 1;
      });
  }

  const alarm = openAlarm(() => {
    events += 1;
  });
  const isDue = (): boolean => due !== null;
  for (;;) {
    await surveyIfDue();
    for (const news of inbox.splice(0)) {
      if ('ask' in news) hear(news.ask);
      else if (news.end.how !== 'cancelled') account.end(news.end);
      else if (account.doubt(news.end)) due ??= { whole: false };
    }
    if (isDue()) continue;
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    const isLong = historyLength > LONGEST_HISTORY || continueAsNewSuggested;
    const isQuiet = (): boolean => answering === 0 && allHandlersFinished();
    const nowMs = Date.now();
    if (isLong && isQuiet()) {
      await continueAsNew<typeof arbiter>(packed(account.state(nowMs, MOST_WAITING), { epoch, forces }));
    }
    if (!isLong) for (const { lease, holder } of account.grant(nowMs)) answer(lease, holder);
    const lookAtMs = account.isWaitedFor() && account.held().length > 0 ? lastLookMs + LOOK_EVERY_MS : Infinity;
    if (lookAtMs <= nowMs) due = { whole: false };
    else alarm.set(Math.min(lookAtMs, account.wakeAtMs(nowMs) ?? Infinity));
    const seen = events;
    await condition(() => inbox.length > 0 || isDue() || events !== seen || (isLong && isQuiet()));
  }
}

/** What the store knows, however long it takes to be asked. */
async function surveyed(input: SurveyInput): Promise<Survey> {
  for (;;) {
    try {
      return await decisionActivities('policy').survey(input);
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
}: HeldLease): SurveyInput['held'][number] {
  return { productionId, shotId, take, takeKey, sending, model, deadlineSeconds };
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
