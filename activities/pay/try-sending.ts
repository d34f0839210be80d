import { type SubmitOutcome, type TaskInput } from '../../contracts/activities';
import { type AskedLease } from '../../contracts/gateway/arbiter';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type SendingMode } from '../../contracts/render/plan';
import { diskSpaceInWords, isRefused, lastDecisionNumber, type Store, type TakeHistory } from '../../store';
import { type AccountGate } from '../account/account-gate';
import { type AnchorFrames } from '../request/anchor-frames';
import { assertNotPaused } from './assert-not-paused';
import { confirmAttempt, type HeartbeatNow } from './confirm-attempt';
import { type Executes, type Execution, type PlannedMode } from '../account/executes';
import { failure } from '../fail';
import { type LatestTakes } from '../account/latest-takes';
import { deadlineSecondsOf, type LeasedSending, type Leases } from '../account/leases';
import { type NotAccepted, type SendTask } from './send-task';
import { whileLedgerServes } from '../translate-error';
import { type withWrittenTexts } from '../request/written-texts';

/** Pause between two checks of the disk. People clear disks, so the pause need not be short. */
const LOOK_AT_DISK_EVERY_MS = 30_000;

export interface SendingDependencies {
  readonly store: Store;
  readonly gate: AccountGate;
  readonly executes: Executes;
  readonly sendTask: SendTask;
  readonly leases: Leases;
  readonly latestTakes: LatestTakes;
  readonly heartbeatNow: HeartbeatNow;
}

/** The mode and the contents of a sending. */
export interface SentParts {
  readonly mode: SendingMode;
  readonly production: FrozenProduction;
  readonly frames: () => ReturnType<AnchorFrames>;
  readonly written: () => ReturnType<typeof withWrittenTexts>;
  readonly cancellationSignal: AbortSignal;
}

/**
 * Sends a take once, if nothing holds it back.
 *
 * @returns `unleased` if the take waits for a lease or must return its lease, `refused` if the account lacks credits;
 *   undefined if the ledger has the outcome, or another attempt has begun the sending.
 */
export async function trySending(
  dependencies: SendingDependencies,
  sending: LeasedSending,
  { mode, production, frames, written, cancellationSignal }: SentParts,
): Promise<SubmitOutcome | undefined> {
  const { store, gate, executes, sendTask, leases, heartbeatNow } = dependencies;
  const { input, take, history, n } = sending;
  try {
    await checkMayPay(dependencies, sending);
  } catch (error) {
    if (input.lease === undefined) throw error;
    // The workflow gives the lease back after this attempt, so that other takes can be sent meanwhile.
    return unleased(sending, { takeKey: take.takeKey, sending: n }, false);
  }
  const links = await whileLedgerServes(frames);
  const shot = await whileLedgerServes(written);
  const planned = plannedMode(history, mode);
  const passage = await gate.pass({ model: take.model, mode: planned.isFixed ? planned.mode : 'submit' });
  let execution: Execution | undefined;
  try {
    cancellationSignal.throwIfAborted();
    if (!(await leases.maySend(sending))) return unleased(sending, await leases.ask(sending), true);
    execution = await executes.begin(take.model, { ...planned, isTry: passage.isTry });
    const refusedFor = await sendTask({
      ...{ take, intent: history.intent, n, execution, production, shot, links, passage },
      ...leaseOf(input),
      async maySend() {
        if (!(await leases.maySend(sending))) return false;
        await confirmAttempt(heartbeatNow);
        return true;
      },
    });
    return refusedFor === undefined ? undefined : await refusal(leases, store, sending, refusedFor);
  } finally {
    execution?.leave();
    await passage.leave();
  }
}

/** @throws ProductionHeld, BatchHeld, StoreUnavailable, StaleLedger, LedgerUnavailable (all retried). */
async function checkMayPay({ store, latestTakes }: SendingDependencies, { input, take }: LeasedSending): Promise<void> {
  await assertNotPaused(store, input.productionId);
  await checkDiskSpace(store);
  await latestTakes.check(take);
}

function leaseOf(input: TaskInput): Pick<Parameters<SendTask>[0], 'lease'> {
  const { lease } = input;
  return lease === undefined ? {} : { lease: { sending: lease.sending, deadlineSeconds: deadlineSecondsOf(input) } };
}

function unleased({ take, history }: LeasedSending, wanted: AskedLease, isAsked: boolean): SubmitOutcome {
  return { state: 'unleased', take, decisions: lastDecisionNumber(history), wanted, isAsked };
}

/**
 * The outcome of a sending that was surely not accepted. A throttled sending waits for a lease if there is an arbiter;
 * otherwise its error is thrown.
 */
async function refusal(
  leases: Leases,
  store: Store,
  sending: LeasedSending,
  refusedFor: NotAccepted,
): Promise<SubmitOutcome> {
  const { input, take, history } = sending;
  if (refusedFor.kind === 'throttled') {
    const wanted = await askAgain(leases, store, sending, refusedFor.retryAfterMs);
    if (wanted === undefined) throw refusedFor.error;
    return unleased(sending, wanted, true);
  }
  if (input.lease !== undefined) {
    const { takeKey, sending: leased } = input.lease;
    await leases.tell({ takeKey, sending: leased, how: 'refused', credits: 0 });
  }
  return { state: 'refused', take, decisions: lastDecisionNumber(history), ...refusedFor };
}

/**
 * Requests a lease for a throttled take; undefined if there is no arbiter.
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

/**
 * The mode in which a take is sent: as planned or, if an earlier sending may have been accepted, the mode of that
 * sending. A person's decision to send again does not change the mode: the gateway might not recognise an idempotency
 * key that was first sent in the other mode.
 */
function plannedMode({ sendings }: TakeHistory, wanted: SendingMode): Omit<PlannedMode, 'isTry'> {
  const first = sendings.find((one) => one.sent !== null && !isRefused(one))?.sent?.mode;
  return { mode: first ?? wanted, isFixed: first !== undefined };
}

/**
 * Throws if the disk has too little space, so that no task is paid for whose output cannot be stored. First removes
 * film pieces to make room, since these only save time.
 */
async function checkDiskSpace(store: Store): Promise<void> {
  if ((await store.space()).isEnough) return;
  // Ignore errors: the next disk check decides.
  await store.films.removePieces().catch(() => undefined);
  const space = await store.space();
  if (space.isEnough) return;
  throw failure('StoreUnavailable', diskSpaceInWords(store.name, space), { nextRetryDelayMs: LOOK_AT_DISK_EVERY_MS });
}
