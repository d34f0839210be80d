import { setTimeout as sleep } from 'node:timers/promises';
import { type Context } from '@temporalio/activity';
import { type SubmitActivities, type SubmitOutcome, type TaskInput } from '../contracts/activities';
import { type AskedLease } from '../contracts/arbiter';
import { type Permit } from '../contracts/budget';
import { frameLinks } from '../contracts/frame-links';
import { type SendingMode } from '../contracts/plan';
import { type TakeRef } from '../contracts/take';
import {
  diskSpace,
  diskSpaceInWords,
  holdClaimed,
  isRefused,
  isSkipped,
  type Quotes,
  removePieces,
  reservationOf,
  standing,
  type Store,
  type TakeHistory,
  type TakeStanding,
} from '../store';
import { type AccountGate } from './account-gate';
import { type AnchorFrames } from './anchor-frames';
import { bookedTake } from './book-answer';
import { claimTake, findTake } from './claim-take';
import { type Executes, type Execution, type PlannedMode } from './executes';
import { failure } from './fail';
import { type FrozenProductions } from './frozen-productions';
import { type LatestTakes } from './latest-takes';
import { deadlineSecondsOf, type LeasedSending, type Leases } from './leases';
import { assertNotPaused } from './hold-back';
import { type SendTask } from './send-task';
import { takeOutcome } from './take-outcome';
import { carriedFrames, describedParameters, linkedFrame } from './task-parameters';
import { whileLedgerServes } from './translate-error';
import { withHeartbeat } from './with-heartbeat';
import { withWrittenTexts } from './written-texts';

/** People clear disks, so this need not be short. */
const LOOK_AT_DISK_EVERY_MS = 30_000;

/** How often an attempt checks whether another attempt's sending has ended. */
const LOOK_EVERY_MS = 500;

/** After this time an attempt gives up its slot for other takes. The next attempt checks again. */
const WAIT_WITHIN_ATTEMPT_MS = 3_000;
const LOOK_AGAIN_MS = 5_000;

export interface SubmitDependencies {
  readonly account: string;
  readonly store: Store;
  readonly productions: FrozenProductions;
  readonly anchorFrames: AnchorFrames;
  readonly gate: AccountGate;
  readonly executes: Executes;
  readonly sendTask: SendTask;
  /** Current prices. */
  readonly quotes: () => Quotes;
  readonly leases: Leases;
  readonly latestTakes: LatestTakes;
}

/**
 * Makes the activities that cost money.
 *
 * Temporal may run them again. Every attempt checks the ledger first, and sends only what was never sent or was
 * definitely refused. So one take is sent once, however often and by whichever worker this runs.
 *
 * @throws ProductionHeld, AnswerAwaited, GatewayThrottled, ArbiterUnreachable, GatewayDown, KeyRefused, WorkerStalled,
 *   LedgerUnavailable, StaleLedger, StoreUnavailable, MediaFailed (retried; nothing was accepted), FileNotSendable,
 *   TextNotSendable, AssetMissing, FfmpegMissing (final; nothing was sent). See docs/failures.md.
 */
export function createSubmitActivities(dependencies: SubmitDependencies): SubmitActivities {
  return {
    submitTask: (input) => withHeartbeat((context) => pay(dependencies, 'submit', input, context)),
    executeTask: (input) => withHeartbeat((context) => pay(dependencies, 'execute', input, context)),
    lookUpTask: (input) => withHeartbeat(() => lookUp(dependencies, input)),
  };
}

/** The outcome of a task that an attempt may have sent before its submit was cancelled. Sends and claims nothing. */
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
    const now = standing(history);
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
  context: Context,
): Promise<SubmitOutcome> {
  const { account, store, productions, anchorFrames, gate, executes, sendTask, quotes, leases, latestTakes } =
    dependencies;
  const production = await productions.load(input.production);
  const shot = await productions.shot(input.production, input.shotId);
  // Check links first; a retry would not find more of them.
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
  let tried = 0;
  for (;;) {
    const history = await bookedTake(store, take);
    // The ledger was replaced meanwhile. The next attempt finds or claims its take again.
    if (history?.intent.takeKey !== take.takeKey) {
      throw failure('LedgerUnavailable', `take ${take.take} of ${take.shotId} has no intent`);
    }
    const decisions = history.decisions.length;
    if (isSkipped(history)) return { state: 'skipped', take, decisions, reason: 'a person left it out' };
    const now = standing(history);
    if (now.is === 'sendable') {
      // Another attempt has begun the sending, but its record is not visible yet: over NFS a listing may be stale.
      if (tried === now.n) await waitForTheFolder(take, now.n, patientUntilMs);
      tried = now.n;
      if (await whileLedgerServes(() => holdClaimed(store.ledger, take, history))) continue;
      if (input.permit !== undefined && !isAllowed(input.permit, history)) {
        const reservation = reservationOf(take.shotId, history.intent, now.n, quotes());
        return { state: 'unreserved', take, decisions, reservation: await whileLedgerServes(() => reservation) };
      }
      const sending = { input, take, history, n: now.n };
      try {
        await assertNotPaused(store, input.productionId);
        await checkDiskSpace(store);
        await latestTakes.check(take);
      } catch (error) {
        if (input.lease === undefined) throw error;
        // Others can use this place meanwhile. The workflow returns the lease when no attempt can use it any more.
        return {
          state: 'unleased',
          take,
          decisions,
          wanted: { takeKey: take.takeKey, sending: now.n },
          isAsked: false,
        };
      }
      const links = await whileLedgerServes(frames);
      const filled = await whileLedgerServes(written);
      const planned = plannedMode(history, mode);
      const passage = await gate.pass({ model: take.model, mode: planned.isFixed ? planned.mode : 'submit' });
      let execution: Execution | undefined;
      try {
        context.cancellationSignal.throwIfAborted();
        if (!(await leases.maySend(sending))) {
          return { state: 'unleased', take, decisions, wanted: await leases.ask(sending), isAsked: true };
        }
        execution = await executes.begin(take.model, { ...planned, isTry: passage.isTry });
        const refusedFor = await sendTask({
          ...{ take, intent: history.intent, n: now.n, execution, production, shot: filled, links, passage },
          ...(input.lease === undefined
            ? {}
            : { lease: { sending: input.lease.sending, deadlineSeconds: deadlineSecondsOf(input) } }),
          maySend: () => leases.maySend(sending),
        });
        if (refusedFor?.kind === 'throttled') {
          const wanted = await askAgain(leases, store, sending, refusedFor.retryAfterMs);
          if (wanted === undefined) throw refusedFor.error;
          return { state: 'unleased', take, decisions, wanted, isAsked: true };
        }
        if (refusedFor !== undefined) {
          if (input.lease !== undefined) {
            const { takeKey, sending: leased } = input.lease;
            await leases.tell({ takeKey, sending: leased, how: 'refused', credits: 0 });
          }
          return { state: 'refused', take, decisions, ...refusedFor };
        }
      } finally {
        execution?.leave();
        await passage.leave();
      }
    } else if (now.is === 'sending') {
      await waitForTheOther(store, take, now, patientUntilMs);
    } else {
      await leases.tellStanding({ input, history });
      return takeOutcome(store, take, now, history);
    }
  }
}

/**
 * Has a throttled take wait for a lease; undefined if there is no arbiter.
 *
 * The ledger has the refusal already, so the lease is for the next sending.
 */
async function askAgain(
  leases: Leases,
  store: Store,
  sending: LeasedSending,
  retryAfterMs: number | null,
): Promise<AskedLease | undefined> {
  if (!(await leases.noteThrottled())) return undefined;
  const history = (await whileLedgerServes(() => store.ledger.take(sending.take))) ?? sending.history;
  return leases.ask({ ...sending, history, n: sending.n + 1 }, { retryAfterMs });
}

/** True if the permit is for this take, and every sending since was refused, so that none may be charged. */
function isAllowed(permit: Permit | null, { intent, sendings }: TakeHistory): boolean {
  return permit?.takeKey === intent.takeKey && sendings.filter(({ n }) => n >= permit.sending).every(isRefused);
}

/**
 * How a take is sent: as planned or, if it may already be accepted, as it was first sent. An execute that timed out may
 * have made a task. A submit would then make a second one, even after a person's decision to send again.
 */
function plannedMode({ sendings }: TakeHistory, wanted: SendingMode): Omit<PlannedMode, 'isTry'> {
  const first = sendings.find((one) => one.sent !== null && !isRefused(one))?.sent?.mode;
  return { mode: first ?? wanted, isFixed: first !== undefined };
}

/** Pays for nothing that could not be stored. Pieces that only save time are removed to make room. */
async function checkDiskSpace(store: Store): Promise<void> {
  const { folder } = store;
  if ((await diskSpace(folder)).isEnough) return;
  // Ignore errors: the next disk check decides.
  await removePieces(store).catch(() => undefined);
  const space = await diskSpace(folder);
  if (space.isEnough) return;
  throw failure('StoreUnavailable', diskSpaceInWords(folder, space), { nextRetryDelayMs: LOOK_AT_DISK_EVERY_MS });
}

/** Waits for the record of a sending that another attempt has begun, and that this machine does not see yet. */
function waitForTheFolder(take: TakeRef, n: number, patientUntilMs: number): Promise<void> {
  if (Date.now() < patientUntilMs) return sleep(LOOK_EVERY_MS);
  throw failure('AnswerAwaited', `sending ${n} of take ${take.take} of ${take.shotId} was begun by another attempt`, {
    nextRetryDelayMs: LOOK_AGAIN_MS,
  });
}

/** Waits while the other sender may still get its answer. After that the sending becomes unclear. */
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
