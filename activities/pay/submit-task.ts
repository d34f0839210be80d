import { setTimeout as sleep } from 'node:timers/promises';
import { type Context } from '@temporalio/activity';
import { type SubmitActivities, type SubmitOutcome, type TaskInput } from '../../contracts/activities';
import { frameLinks } from '../../contracts/file/frame-links';
import { type SendingMode } from '../../contracts/render/plan';
import { type TakeRef } from '../../contracts/render/take';
import {
  holdClaimed,
  isSkipped,
  lastDecisionNumber,
  type Quotes,
  reservationOf,
  ledgerState,
  type Store,
  type TakeHistory,
  type LedgerState,
} from '../../store';
import { type AnchorFrames } from '../request/anchor-frames';
import { bookedTake } from './book-answer';
import { claimTake, findTake } from './claim-take';
import { failure } from '../fail';
import { type FrozenProductions } from '../frozen-productions';
import { payStep } from './pay-step';
import { takeOutcome } from './take-outcome';
import { carriedFrames, describedParameters, linkedFrame } from '../request/task-parameters';
import { whileLedgerServes } from '../translate-error';
import { type SendingDependencies, trySending } from './try-sending';
import { withHeartbeat } from '../with-heartbeat';
import { withWrittenTexts } from '../request/written-texts';

/** Pause between two looks at a sending that another attempt has begun. */
const LOOK_EVERY_MS = 500;

/** After this time a waiting attempt frees its slot for other takes. The next attempt checks again. */
const WAIT_WITHIN_ATTEMPT_MS = 3_000;
const LOOK_AGAIN_MS = 5_000;

export interface SubmitDependencies extends SendingDependencies {
  readonly account: string;
  readonly productions: FrozenProductions;
  readonly anchorFrames: AnchorFrames;
  /** Current prices. */
  readonly quotes: () => Quotes;
}

/**
 * Makes the activities that pay for tasks, and the activity that looks up a task whose submit was cancelled.
 *
 * Every attempt checks the ledger first, so a retry never pays for a take again, on whichever worker it runs. A take is
 * sent only in these cases:
 *
 * - It was never sent.
 * - It was refused, and may be sent again.
 * - It was unclear, and a decision was made to send it again.
 *
 * @throws ProductionHeld, BatchHeld, AnswerAwaited, GatewayThrottled, ArbiterUnreachable, GatewayDown, KeyRefused,
 *   WorkerStalled, LedgerUnavailable, StaleLedger, StoreUnavailable, MediaFailed (retried), FileNotSendable,
 *   TextNotSendable, AssetMissing, OutputUnusable, FfmpegMissing (final; this attempt sent nothing), TakeMismatch
 *   (final). See docs/failures.md.
 */
export function createSubmitActivities(dependencies: SubmitDependencies): SubmitActivities {
  return {
    submitTask: (input) => withHeartbeat((context) => pay(dependencies, 'submit', input, context)),
    executeTask: (input) => withHeartbeat((context) => pay(dependencies, 'execute', input, context)),
    lookUpTask: (input) => withHeartbeat(() => lookUp(dependencies, input)),
  };
}

/**
 * The outcome of a task that was perhaps sent before its submit was cancelled; null if the take is missing or skipped,
 * or if a sending of it is due. Sends nothing, and claims no take.
 */
async function lookUp(
  { account, store, productions, leases }: SubmitDependencies,
  input: TaskInput,
): Promise<SubmitOutcome | null> {
  const shot = await productions.shot(input.production, input.shotId);
  const take = await whileLedgerServes(() => findTake(store, account, shot, input));
  if (take === undefined) return null;
  const patientUntilMs = Date.now() + WAIT_WITHIN_ATTEMPT_MS;
  for (;;) {
    const history = await bookedTake(store, take);
    if (history?.intent.takeKey !== take.takeKey || isSkipped(history)) return null;
    const now = ledgerState(history);
    if (now.is === 'sendable') return null;
    if (now.is === 'sending') {
      await waitForTheOther(store, take, now, patientUntilMs);
    } else {
      await leases.tellStanding({ input, history });
      return takeOutcome(store, take, now, history);
    }
  }
}

async function pay(
  dependencies: SubmitDependencies,
  mode: SendingMode,
  input: TaskInput,
  { cancellationSignal }: Context,
): Promise<SubmitOutcome> {
  const { account, store, productions, anchorFrames, quotes, leases } = dependencies;
  const production = await productions.load(input.production);
  const shot = await productions.shot(input.production, input.shotId);
  // Check links before claiming: a missing link is final.
  for (const link of frameLinks(shot)) linkedFrame(input.links, link);
  const frames = (): ReturnType<AnchorFrames> => anchorFrames(input, shot, cancellationSignal);
  const written = (): ReturnType<typeof withWrittenTexts> => withWrittenTexts(store, shot, input.links);
  const take = await whileLedgerServes(() =>
    claimTake(store, account, shot, input, async () => {
      const parameters = await describedParameters(production, await written(), await frames());
      return { parameters, ...carriedFrames(shot, input.links) };
    }),
  );
  const { permit } = input;
  const patientUntilMs = Date.now() + WAIT_WITHIN_ATTEMPT_MS;
  let tried = 0;
  for (;;) {
    const history = await claimedHistory(store, take);
    const decisions = lastDecisionNumber(history);
    let step = payStep(history, { permit, triedSending: tried });
    if (step.do === 'wait-for-folder') {
      await waitForTheFolder(take, step.n, patientUntilMs);
      step = payStep(history, { permit, triedSending: 0 });
    }
    switch (step.do) {
      case 'skip':
        return { state: 'skipped', take, decisions, reason: 'a person left it out' };
      case 'wait-for-other':
        await waitForTheOther(store, take, step.now, patientUntilMs);
        continue;
      case 'report':
        await leases.tellStanding({ input, history });
        return takeOutcome(store, take, step.now, history);
    }
    tried = step.n;
    if (await whileLedgerServes(() => holdClaimed(store.ledger, take, history))) continue;
    if (step.do === 'ask-budget') {
      const reservation = reservationOf(take.shotId, history.intent, step.n, quotes());
      return { state: 'unreserved', take, decisions, reservation: await whileLedgerServes(() => reservation) };
    }
    const sending = { input, take, history, n: step.n };
    const outcome = await trySending(dependencies, sending, { mode, production, frames, written, cancellationSignal });
    if (outcome !== undefined) return outcome;
  }
}

/** Reads the take's records. Throws if the ledger was replaced meanwhile: the next attempt finds or claims a take. */
async function claimedHistory(store: Store, take: TakeRef): Promise<TakeHistory> {
  const history = await bookedTake(store, take);
  if (history?.intent.takeKey === take.takeKey) return history;
  throw failure('LedgerUnavailable', `take ${take.take} of ${take.shotId} has no intent`);
}

/**
 * Waits a moment, or throws after `patientUntilMs`. Another attempt has created the record of sending `n`, but this
 * machine does not see the record in the store's folder yet.
 */
function waitForTheFolder(take: TakeRef, n: number, patientUntilMs: number): Promise<void> {
  if (Date.now() < patientUntilMs) return sleep(LOOK_EVERY_MS);
  throw failure('AnswerAwaited', `sending ${n} of take ${take.take} of ${take.shotId} was begun by another attempt`, {
    nextRetryDelayMs: LOOK_AGAIN_MS,
  });
}

/** Waits a moment, or throws, while the sender may still get an answer. Later, records the sending as unclear. */
async function waitForTheOther(
  store: Store,
  take: TakeRef,
  { n, untilMs }: Extract<LedgerState, { is: 'sending' }>,
  patientUntilMs: number,
): Promise<void> {
  const leftMs = untilMs - Date.now();
  if (leftMs > 0) {
    if (Date.now() < patientUntilMs) return sleep(LOOK_EVERY_MS);
    const until = new Date(untilMs).toISOString();
    const reason = `another attempt sent take ${take.take} of ${take.shotId}, and its answer may come until ${until}`;
    throw failure('AnswerAwaited', reason, { nextRetryDelayMs: Math.min(LOOK_AGAIN_MS, leftMs) });
  }
  const reason = 'no answer was recorded in time by the process that sent it';
  const record = { reason, at: new Date().toISOString() };
  await whileLedgerServes(() => store.ledger.endSending(take, n, { kind: 'unclear', record }));
}
