import {
  UNKNOWN_DEADLINE_SECONDS,
  type HeldLease,
  type LeaseAddress,
  type LeaseEnd,
  type LeaseKey,
  type Spent,
} from '../../contracts/gateway/arbiter';
import { fewAtOnce } from '../disk/few-at-once';
import { type Ledger } from '../ledger/ledger';
import { type Quotes } from './quotes';
import { ifReadable } from '../records';
import { reservationOf } from './spending';
import { type TakeAddress } from '../ledger/take-address';
import { acceptance, isRefused, type Sending, type TakeHistory, tasksOf } from '../ledger/take-history';

/** Reads from the ledger which sendings and tasks of an account are under way. */

/**
 * A task without a recorded end counts as ended after this time, or after its deadline if that is later. Otherwise a
 * lost task would count against the account's limits forever.
 */
const LONGEST_TASK_SECONDS = 24 * 60 * 60;

/** State of the sendings under a lease, which is the right to submit one take. */
export type SendingState = 'unsent' | 'under-way' | Pick<LeaseEnd, 'how' | 'credits'>;

/**
 * State of the sendings that use a lease: the sending that the lease was granted for, and its repetitions after
 * refusals.
 *
 * An unclear sending is under way until its deadline passes, or a person makes a decision other than to wait. A
 * temporary refusal that did not end the lease counts as unsent, since the lease may be used again.
 *
 * @param deadlineSeconds how long the task may take.
 */
export function sendingState(
  history: TakeHistory | undefined,
  { takeKey, sending }: Pick<LeaseAddress, 'takeKey' | 'sending'>,
  deadlineSeconds: number,
): SendingState {
  if (history?.intent.takeKey !== takeKey) return 'unsent';
  const sent = history.sendings.filter((one) => leasedSending(one) === sending);
  if (sent.length === 0) return 'unsent';
  const open = sent.filter((one) => !isRefused(one));
  if (open.length === 0) {
    const isOver = sent.some(({ refused }) => refused?.endsLease === true || refused?.again === false);
    return isOver ? { how: 'refused', credits: 0 } : 'unsent';
  }
  if (open.some((one) => !hasEnded(history, one, deadlineSeconds))) return 'under-way';
  return { how: 'ended', credits: history.settled?.credits ?? null };
}

/** True if it is unknown whether the gateway has a task for the lease. */
export function isUnclearLease({ sendings }: TakeHistory, sending: number): boolean {
  const open = sendings.filter((one) => leasedSending(one) === sending && !isRefused(one));
  return open.length > 0 && open.every((one) => one.unclear !== undefined && acceptance(one) === undefined);
}

/** The sendings and charges of an account, according to the ledger. */
export interface AccountInLedger {
  readonly underWay: readonly HeldLease[];
  /** The leases in `underWay` for which it is unknown whether there is a task. */
  readonly unclear: readonly LeaseKey[];
  readonly spent: Spent;
  /** Keys of the takes whose charges are in `spent`. */
  readonly counted: ReadonlySet<string>;
  /**
   * Descriptions of the takes with unreadable records, of all accounts. The other fields leave these takes out. Nothing
   * is sent for their shots.
   */
  readonly unreadable: readonly string[];
}

/**
 * Reads all sendings of the account that may be under way, and the charges of today. It skips the records of takes that
 * were settled on earlier days and can have no other task.
 *
 * @param alive called for each take, so that the caller can stop the read by throwing.
 */
export async function accountInLedger(
  ledger: Ledger,
  { account, quotes, alive }: { readonly account: string; readonly quotes: Quotes; readonly alive: () => void },
): Promise<AccountInLedger> {
  const underWay: HeldLease[] = [];
  const unclear: LeaseKey[] = [];
  const byModel: Record<string, number> = {};
  const counted = new Set<string>();
  const unreadable: string[] = [];
  const day = today();
  for (const { address, history } of await takesOf(day, ledger, alive)) {
    if (history === undefined) unreadable.push(takeInWords(address));
    if (history?.intent.account !== account) continue;
    const { model, takeKey } = history.intent;
    const priced = (n: number): ReturnType<typeof reservationOf> =>
      reservationOf(address.shotId, history.intent, n, quotes);
    if (history.settled?.at.startsWith(day) === true) {
      // If the charge is unknown, count the quote.
      const credits = history.settled.credits ?? (await priced(1)).quoted ?? 0;
      byModel[model.id] = (byModel[model.id] ?? 0) + credits;
      counted.add(takeKey);
    }
    for (const one of history.sendings) {
      const deadlineSeconds = one.sent?.lease?.deadlineSeconds ?? UNKNOWN_DEADLINE_SECONDS;
      if (isRefused(one) || hasEnded(history, one, deadlineSeconds)) continue;
      const { kind, units, quoted } = await priced(one.n);
      const sending = leasedSending(one);
      if (isUnclearLease(history, sending)) unclear.push({ takeKey, sending });
      underWay.push({
        ...address,
        ...{ takeKey, sending, kind, units, model: model.id, credits: quoted },
        ...{ sinceMs: Date.parse(sentAt(history, one)), useByMs: null, deadlineSeconds },
      });
    }
  }
  return { underWay, unclear, spent: { day, byModel }, counted, unreadable };
}

interface ReadTake {
  readonly address: TakeAddress;
  /** Undefined if the take is unreadable. */
  readonly history: TakeHistory | undefined;
}

/**
 * All takes that may have a task under way or were settled on that day, also unreadable ones. Reads shots in parallel:
 * a store may have 100,000 takes.
 */
async function takesOf(day: string, ledger: Ledger, alive: () => void): Promise<readonly ReadTake[]> {
  const shots = await fewAtOnce(await ledger.productions(), async (productionId) => {
    const ids = await ledger.shots(productionId);
    return ids.map((shotId) => ({ productionId, shotId }));
  });
  const takes = await fewAtOnce(shots.flat(), async (shot) => {
    const ofShot: ReadTake[] = [];
    for (const take of await ledger.numbers(shot)) {
      alive();
      const address = { ...shot, take };
      const read = await ifReadable(async () =>
        (await ledger.mayBeOpenOrSettledOn(address, day)) ? ledger.take(address) : undefined,
      );
      if (read === undefined || read.value !== undefined) ofShot.push({ address, history: read?.value });
    }
    return ofShot;
  });
  return takes.flat();
}

export function takeInWords({ productionId, shotId, take }: TakeAddress): string {
  return `take ${take} of ${productionId}/${shotId}`;
}

/** Age after which a task without a recorded end counts as ended. */
export function longestTaskMs(deadlineSeconds: number): number {
  return Math.max(LONGEST_TASK_SECONDS, deadlineSeconds) * 1_000;
}

/**
 * The number of the sending that this sending's lease was granted for. After a refusal that does not end the lease, the
 * next sending uses the same lease. For a sending without a lease, its own number.
 */
export function leasedSending({ n, sent }: Sending): number {
  return sent?.lease?.sending ?? n;
}

/** The current day in UTC, as daily limits use it. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function hasEnded(history: TakeHistory, sending: Sending, deadlineSeconds: number): boolean {
  const { settled, decisions } = history;
  const task = acceptance(sending);
  const hasOtherTask = tasksOf({ ...history, sendings: [sending] }).some((id) => id !== settled?.taskId);
  if (settled !== undefined && task?.taskId === settled.taskId && !hasOtherTask) return true;
  const ageMs = Date.now() - Date.parse(sentAt(history, sending));
  if (task !== undefined || sending.alsoAccepted !== undefined) return ageMs > longestTaskMs(deadlineSeconds);
  // Only a person's decision counts: a policy that resends does not know whether the gateway has accepted the first
  // sending.
  const isDecided = decisions.some(
    ({ by, kind, afterSending }) => by === 'person' && kind !== 'wait' && afterSending >= sending.n,
  );
  return (sending.unclear !== undefined && isDecided) || ageMs > deadlineSeconds * 1_000;
}

/** When a sending began. If its `sent` record is lost or unreadable, the time of its outcome, else of the intent. */
function sentAt({ intent }: TakeHistory, { sent, answered, accepted, unclear }: Sending): string {
  return (sent ?? answered ?? accepted ?? unclear ?? intent).at;
}
