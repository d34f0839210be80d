import { allHandlersFinished, condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { ArbiterView, LeaseAsk, LeaseNews } from '../../contracts/gateway/arbiter';
import { openUpdatableTimer } from '../temporal/updatable-timer';
import { type ArbiterState, MOST_WAITING, packed, unpacked } from './arbiter-state';
import { LeaseReconciler } from './reconcile-leases';
import { nowMs } from '../temporal/clock';
import { LeaseAccount } from './lease-account';
import { openLeaseAnswers } from './lease-answers';
import { arbiterViewQuery, askLeaseSignal, leaseEndedSignal, limitsChangedUpdate } from '../messages';
import { neverPinned } from '../temporal/never-pinned';

/**
 * The arbiter continues as new above this number of events, since a worker that takes over has to replay all of them.
 */
const LONGEST_HISTORY = 2_000;

/** Bounds that tests set lower. */
interface ArbiterBounds {
  readonly longestHistory?: number;
}

/**
 * Grants leases, which are rights to submit, for one gateway account and one store. The first request starts the
 * arbiter. Only one instance runs at a time.
 *
 * Two kinds of signals, requests for leases and reports of ended leases, may arrive in any order, repeatedly or not at
 * all. Takes repeat their requests, and the arbiter finds unreported ends in the ledger. See
 * docs/decisions/0017-arbiter.md.
 */
export async function arbiter(before: ArbiterState | null, bounds: ArbiterBounds = {}): Promise<void> {
  const account = new LeaseAccount(before === null ? null : unpacked(before));
  const inbox: ({ readonly ask: LeaseAsk } | { readonly told: LeaseNews })[] = [];
  /** Grows to wake the main loop. Signals wake it through `inbox` instead. */
  let events = 0;
  const wake = (): void => {
    events += 1;
  };
  const surveys = new LeaseReconciler(account, before, wake);
  const answers = openLeaseAnswers(() => surveys.epoch(), wake);
  const timer = openUpdatableTimer(wake);

  setHandler(askLeaseSignal, (ask) => {
    inbox.push({ ask });
  });
  setHandler(leaseEndedSignal, (told) => {
    inbox.push({ told });
  });
  setHandler(arbiterViewQuery, (atMs) => view(atMs));
  setHandler(limitsChangedUpdate, async () => {
    await surveys.surveyWholeAccount();
    return view();
  });

  function view(atMs = nowMs()): ArbiterView {
    const asking = inbox.filter((news) => 'ask' in news).length;
    return { ...account.view(atMs), ...surveys.view(), asking };
  }
  function handleRequest(ask: LeaseAsk): void {
    const { still, force, refused, throttled, ...wanted } = ask;
    if (account.isStale(ask)) return;
    const sinceMs = nowMs();
    account.endEarlierSendings(ask, still);
    if (throttled !== undefined) account.throttled(sinceMs, throttled.retryAfterMs);
    if (refused?.epoch === surveys.epoch()) {
      surveys.requestEpoch();
      account.end({ takeKey: ask.takeKey, sending: ask.sending, how: 'withdrawn', credits: 0 });
    } else surveys.surveyIfUnknown(force);
    const again = account.renewIfHeld(wanted, sinceMs);
    if (again === undefined) account.ask({ ...wanted, sinceMs });
    // This repeats an answer, and the holder may have used the lease since. So the lease stays if the holder is gone.
    else answers.send(again, ask.holder, () => undefined);
  }
  function handleNews(told: LeaseNews): void {
    if (told.how === 'unclear') account.unclear(told);
    else if (told.how !== 'cancelled') account.end(told);
    else if (account.markGivenUp(told)) surveys.requestCheck();
  }
  function grant(atMs: number): void {
    for (const { lease, holder } of account.grant(atMs, answers.room())) {
      // If the holder is gone, it never got this lease, so nothing was sent.
      const { takeKey, sending } = lease;
      answers.send(lease, holder, () => {
        account.end({ takeKey, sending, how: 'withdrawn', credits: 0 });
      });
    }
  }

  const mayHandle = (): boolean => inbox.length > 0 && answers.room() > 0;
  const isIdle = (): boolean => answers.areAllDelivered() && inbox.length === 0 && allHandlersFinished();
  for (;;) {
    while (surveys.isDue()) await surveys.survey();
    while (mayHandle()) {
      const news = inbox.shift();
      if (news === undefined) break;
      if ('ask' in news) handleRequest(news.ask);
      else handleNews(news.told);
    }
    if (surveys.isDue()) continue;
    surveys.throwIfBroken();
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    const isLong = historyLength > (bounds.longestHistory ?? LONGEST_HISTORY) || continueAsNewSuggested;
    const atMs = nowMs();
    if (isLong && isIdle()) {
      // The next run repeats a check that is under way.
      const state = packed(account.state(atMs, MOST_WAITING), { ...surveys.carried(), nowMs: atMs });
      await continueAsNew<typeof arbiter>(state, bounds);
    }
    if (!isLong) grant(atMs);
    const checkAtMs = surveys.checkIfDue(atMs);
    timer.set(Math.min(checkAtMs, account.wakeAtMs(atMs) ?? Infinity));
    const seen = events;
    await condition(() => mayHandle() || surveys.isDue() || events !== seen || (isLong && isIdle()));
  }
}

neverPinned(arbiter);
