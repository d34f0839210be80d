import {
  UNKNOWN_DEADLINE_SECONDS,
  type HeldLease,
  type LeaseAddress,
  type LeaseEnd,
  type LeaseKey,
  type Spent,
} from '../contracts/arbiter';
import { fewAtOnce } from './few-at-once';
import { type Ledger, sendingNumbers, type TakeAddress, takeFolder, takeNumbers } from './ledger';
import { Settled } from './ledger-records';
import { type Quotes } from './quotes';
import { ifReadable, type Records } from './records';
import { reservationOf } from './spending';
import { acceptance, isRefused, type Sending, type TakeHistory } from './take-history';

/** What an account has under way, by the ledger. It only reads, and decides nothing. */

/**
 * A task whose end nobody has seen counts as ended after this time, or after its deadline if that is later. Otherwise a
 * task that never ends would keep its place forever.
 */
const LONGEST_TASK_SECONDS = 24 * 60 * 60;

/** State of one sending of a take. */
export type SendingStanding = 'unsent' | 'under-way' | Pick<LeaseEnd, 'how' | 'credits'>;

/**
 * State of a lease's sending and of those that followed it.
 *
 * An unclear sending is under way until somebody decides about it or its time is up. After a temporary refusal the
 * sending counts as unsent: its lease is used once more, unless the refusal ended it.
 *
 * @param deadlineSeconds how long the task may take.
 */
export function sendingStanding(
  history: TakeHistory | undefined,
  { takeKey, sending }: Pick<LeaseAddress, 'takeKey' | 'sending'>,
  deadlineSeconds: number,
): SendingStanding {
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

/** True if it is unknown whether a lease under way has a task. */
export function isUnclearLease({ sendings }: TakeHistory, sending: number): boolean {
  const open = sendings.filter((one) => leasedSending(one) === sending && !isRefused(one));
  return open.length > 0 && open.every((one) => one.unclear !== undefined && acceptance(one) === undefined);
}

export interface WholeAccount {
  readonly underWay: readonly HeldLease[];
  /** The leases in `underWay` for which it is unknown whether there is a task. */
  readonly unclear: readonly LeaseKey[];
  readonly spent: Spent;
  /** The takes that `spent` includes. */
  readonly counted: ReadonlySet<string>;
  /** The takes with unreadable records, in words. They are left out, since nothing is sent for them either. */
  readonly unreadable: readonly string[];
}

/**
 * Everything of the account that may be at the gateway, and what it was charged today. Reads only the necessary
 * records.
 */
export async function wholeAccount(
  { records, ledger }: { readonly records: Records; readonly ledger: Ledger },
  { account, quotes, alive }: { readonly account: string; readonly quotes: Quotes; readonly alive: () => void },
): Promise<WholeAccount> {
  const underWay: HeldLease[] = [];
  const unclear: LeaseKey[] = [];
  const byModel: Record<string, number> = {};
  const counted = new Set<string>();
  const unreadable: string[] = [];
  const day = today();
  for (const { address, history } of await takesOf(day, { records, ledger }, alive)) {
    if (history === undefined) unreadable.push(takeInWords(address));
    if (history?.intent.account !== account) continue;
    const { model, takeKey } = history.intent;
    const priced = (n: number): ReturnType<typeof reservationOf> =>
      reservationOf(address.shotId, history.intent, n, quotes);
    if (history.settled?.at.startsWith(day) === true) {
      // If the charge is unknown, it may have been as much as was quoted.
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
  /** Undefined if it is unreadable. */
  readonly history: TakeHistory | undefined;
}

/**
 * All takes that may be under way or were settled on that day. Many shots are read at once, since an account may have
 * 100,000.
 */
async function takesOf(
  day: string,
  { records, ledger }: { readonly records: Records; readonly ledger: Ledger },
  alive: () => void,
): Promise<readonly ReadTake[]> {
  const shots = await fewAtOnce(await records.list('ledger'), async (productionId) => {
    const ids = await records.list(`ledger/${productionId}`);
    return ids.map((shotId) => ({ productionId, shotId }));
  });
  const takes = await fewAtOnce(shots.flat(), async (shot) => {
    const found: ReadTake[] = [];
    for await (const [address, names] of sentTakes(records, shot)) {
      alive();
      const read = await ifReadable(() => openOrOf(day, { records, ledger }, address, names));
      if (read === undefined || read.value !== undefined) found.push({ address, history: read?.value });
    }
    return found;
  });
  return takes.flat();
}

/** A take that may be under way, or was settled on that day; undefined for any other. */
async function openOrOf(
  day: string,
  { records, ledger }: { readonly records: Records; readonly ledger: Ledger },
  address: TakeAddress,
  names: readonly string[],
): Promise<TakeHistory | undefined> {
  if (names.includes('settled')) {
    const settled = Settled.parse(await records.read(`${takeFolder(address)}/settled`));
    if (!settled.at.startsWith(day)) return undefined;
  }
  return ledger.take(address);
}

export function takeInWords({ productionId, shotId, take }: TakeAddress): string {
  return `take ${take} of ${productionId}/${shotId}`;
}

/** Age after which a task counts as ended, because nobody will learn of its end. */
export function longestTaskMs(deadlineSeconds: number): number {
  return Math.max(LONGEST_TASK_SECONDS, deadlineSeconds) * 1_000;
}

/** The sending that the lease was granted for. Sendings after a refusal use the same lease. */
export function leasedSending({ n, sent }: Sending): number {
  return sent?.lease?.sending ?? n;
}

/** The day that credits are counted by, in UTC. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Every take of a shot that was ever sent, with the names of its records. */
async function* sentTakes(
  records: Records,
  { productionId, shotId }: Pick<TakeAddress, 'productionId' | 'shotId'>,
): AsyncGenerator<[TakeAddress, readonly string[]]> {
  for (const take of takeNumbers(await records.list(`ledger/${productionId}/${shotId}`))) {
    const address = { productionId, shotId, take };
    const names = await records.list(takeFolder(address));
    if (sendingNumbers(names).length > 0) yield [address, names];
  }
}

function hasEnded(history: TakeHistory, sending: Sending, deadlineSeconds: number): boolean {
  const { settled, decisions } = history;
  const task = sending.accepted ?? sending.answered;
  if (settled !== undefined && task?.taskId === settled.taskId) return true;
  const ageMs = Date.now() - Date.parse(sentAt(history, sending));
  if (task !== undefined || sending.alsoAccepted !== undefined) return ageMs > longestTaskMs(deadlineSeconds);
  // A policy that sends it again does not know whether the first one is at the gateway.
  const isDecided = decisions.some(
    ({ by, kind, afterSending }) => by === 'person' && kind !== 'wait' && afterSending >= sending.n,
  );
  return (sending.unclear !== undefined && isDecided) || ageMs > deadlineSeconds * 1_000;
}

/** When a sending began. If its record is lost or cut short, the time of its outcome, or else of the intent. */
function sentAt({ intent }: TakeHistory, { sent, answered, accepted, unclear }: Sending): string {
  return (sent ?? answered ?? accepted ?? unclear ?? intent).at;
}
