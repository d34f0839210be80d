import { setTimeout as sleep } from 'node:timers/promises';
import { type Context } from '@temporalio/activity';
import { type SubmitActivities, type SubmitOutcome, type TaskInput } from '../contracts/activities';
import { type Permit } from '../contracts/budget';
import { frameLinks } from '../contracts/frame-links';
import { type SendingMode } from '../contracts/plan';
import { type TakeRef } from '../contracts/take';
import {
  createHolds,
  diskSpace,
  diskSpaceInWords,
  holdClaimed,
  isRefused,
  isSkipped,
  type Quotes,
  reservationOf,
  standing,
  type Store,
  type TakeHistory,
  type TakeStanding,
} from '../store';
import { type AccountGate } from './account-gate';
import { type AnchorFrames } from './anchor-frames';
import { bookedTake } from './book-answer';
import { claimTake } from './claim-take';
import { failure } from './fail';
import { type FrozenProductions } from './frozen-productions';
import { type SendTask } from './send-task';
import { takeOutcome } from './take-outcome';
import { carriedFrames, describedParameters, linkedFrame } from './task-parameters';
import { whileLedgerServes } from './translate-error';
import { withHeartbeat } from './with-heartbeat';
import { withWrittenTexts } from './written-texts';

/** A person who has just released a production waits for it to go on. */
const LOOK_AT_HOLD_EVERY_MS = 2_000;

/** Disks are cleared by people. */
const LOOK_AT_DISK_EVERY_MS = 30_000;

/** How often an attempt looks whether somebody else's sending has ended. */
const LOOK_EVERY_MS = 500;

/** Past this an attempt gives up its slot, which other takes can use; the next one looks again. */
const WAIT_WITHIN_ATTEMPT_MS = 3_000;
const LOOK_AGAIN_MS = 5_000;

export interface SubmitDependencies {
  readonly account: string;
  readonly store: Store;
  readonly productions: FrozenProductions;
  readonly anchorFrames: AnchorFrames;
  readonly gate: AccountGate;
  readonly sendTask: SendTask;
  /** Prices as they are now. */
  readonly quotes: () => Quotes;
}

/**
 * The activities that cost money.
 *
 * Temporal may run them again: every attempt asks the ledger first, and sends only what the ledger says was never
 * sent, or was surely refused. So one take is sent once, whoever runs this how often.
 *
 * @throws ProductionHeld, AnswerAwaited, GatewayThrottled, GatewayDown, KeyRefused, WorkerStalled, LedgerUnavailable,
 *   StoreUnavailable, MediaFailed (retried; nothing was accepted), FileNotSendable, TextNotSendable, AssetMissing,
 *   FfmpegMissing (final; nothing was sent). See docs/failures.md.
 */
export function createSubmitActivities(dependencies: SubmitDependencies): SubmitActivities {
  return {
    submitTask: (input) => withHeartbeat((context) => pay(dependencies, 'submit', input, context)),
    executeTask: (input) => withHeartbeat((context) => pay(dependencies, 'execute', input, context)),
  };
}

async function pay(
  { account, store, productions, anchorFrames, gate, sendTask, quotes }: SubmitDependencies,
  mode: SendingMode,
  input: TaskInput,
  context: Context,
): Promise<SubmitOutcome> {
  const production = await productions.load(input.production);
  const shot = await productions.shot(input.production, input.shotId);
  // Before the ledger is asked: another try finds no more of them.
  for (const link of frameLinks(shot)) linkedFrame(input.links, link);
  const frames = (): ReturnType<AnchorFrames> => anchorFrames(input, shot, context.cancellationSignal);
  const written = (): ReturnType<typeof withWrittenTexts> => withWrittenTexts(store, shot, input.links);
  const take = await whileLedgerServes(() =>
    claimTake(store, account, shot, input, async () => {
      const parameters = await describedParameters(production, await written(), await frames());
      return { parameters, ...carriedFrames(shot, input.links) };
    }),
  );
  const patientUntilMs = Date.now() + WAIT_WITHIN_ATTEMPT_MS;
  for (;;) {
    const history = await bookedTake(store, take);
    if (history === undefined) throw failure('LedgerUnavailable', `take ${take.take} of ${take.shotId} has no intent`);
    const decisions = history.decisions.length;
    if (isSkipped(history)) return { state: 'skipped', take, decisions, reason: 'a person left it out' };
    const now = standing(history);
    if (now.is === 'sendable') {
      if (await whileLedgerServes(() => holdClaimed(store.ledger, take, history))) continue;
      if (input.permit !== undefined && !isAllowed(input.permit, history)) {
        const reservation = reservationOf(take.shotId, history.intent, now.n, quotes());
        return { state: 'unreserved', take, decisions, reservation: await whileLedgerServes(() => reservation) };
      }
      await holdBack(store, input.productionId);
      await checkDiskSpace(store);
      const links = await whileLedgerServes(frames);
      const filled = await whileLedgerServes(written);
      const passage = await gate.pass();
      try {
        context.cancellationSignal.throwIfAborted();
        const sending = { take, n: now.n, mode: modeOf(history, mode), production, shot: filled, links, passage };
        const refusedFor = await sendTask(sending);
        if (refusedFor !== undefined) return { state: 'refused', take, decisions, ...refusedFor };
      } finally {
        await passage.leave();
      }
    } else if (now.is === 'sending') {
      await waitForTheOther(store, take, now, patientUntilMs);
    } else {
      return takeOutcome(store, take, now, history);
    }
  }
}

/** A permit holds as long as nothing that was sent by it may be charged. */
function isAllowed(permit: Permit | null, { intent, sendings }: TakeHistory): boolean {
  return permit?.takeKey === intent.takeKey && sendings.filter(({ n }) => n >= permit.sending).every(isRefused);
}

/**
 * How a take is sent: as it was at first. An execute that timed out may have made a task, which a submit would make
 * once more whatever a person believes to have decided.
 */
function modeOf({ sendings }: TakeHistory, wanted: SendingMode): SendingMode {
  return sendings.find(({ sent }) => sent !== null)?.sent?.mode ?? wanted;
}

/** Nothing new is bought for a production that a person paused, or that was interrupted, until somebody lets it go on. */
async function holdBack(store: Store, productionId: string): Promise<void> {
  const hold = await whileLedgerServes(() => createHolds(store.records).held(productionId));
  if (hold === undefined) return;
  throw failure('ProductionHeld', `"${productionId}" is held since ${hold.since}: ${hold.reason}`, {
    nextRetryDelayMs: LOOK_AT_HOLD_EVERY_MS,
  });
}

/** What cannot be stored is not paid for. */
async function checkDiskSpace({ folder }: Store): Promise<void> {
  const space = await diskSpace(folder);
  if (space.isEnough) return;
  throw failure('StoreUnavailable', diskSpaceInWords(folder, space), { nextRetryDelayMs: LOOK_AT_DISK_EVERY_MS });
}

/** Waits as long as the other sender may still get its answer; past that nobody can say what became of it. */
async function waitForTheOther(
  store: Store,
  take: TakeRef,
  { n, untilMs }: Extract<TakeStanding, { is: 'sending' }>,
  patientUntilMs: number,
): Promise<void> {
  const leftMs = untilMs - Date.now();
  if (leftMs > 0) {
    if (Date.now() < patientUntilMs) return sleep(LOOK_EVERY_MS);
    throw failure('AnswerAwaited', `sending ${n} of take ${take.take} of ${take.shotId} may still be answered`, {
      nextRetryDelayMs: Math.min(LOOK_AGAIN_MS, leftMs),
    });
  }
  const reason = 'the process that sent it ended before it noted an answer';
  const record = { reason, at: new Date().toISOString() };
  await whileLedgerServes(() => store.ledger.endSending(take, n, { kind: 'unclear', record }));
}
