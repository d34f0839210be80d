import { type ClosedGate } from '../contracts/gate';
import { type GatewayClient, type GatewayError, type GatewayLook, lookAtGateway, type TaskToRead } from '../gateway';
import { type GateRecord, type StandingGate } from '../store';
import { failure } from './fail';
import { isRefusedForNow, whileLedgerServes } from './translate-error';

/** Time between two looks of one worker at a gateway that does not let submits through. */
const LOOK_AGAIN_MS = 5_000;

/** A submit is mostly answered within this time; then the others go on, or know how long to wait. */
const TRY_LASTS_MS = 2_000;

/**
 * Past this the worker that tries is taken for gone, as one that was killed. One that only takes long, as with large
 * files on a slow line, does no harm: another submit tries beside it.
 */
const TRY_ENDS_WITHIN_MS = 30_000;

/** A pause that grows with each failure in a row. */
interface Pause {
  readonly firstMs: number;
  readonly factor: number;
  readonly longestMs: number;
}

/** Each try may leave one more take unclear, which costs a person's time: five tries in the first ten minutes. */
const PAUSE_WHERE_UNCLEAR: Pause = { firstMs: 2_000, factor: 3, longestMs: 60 * 60_000 };

/** A try that is surely refused costs nothing; it need not be often. */
const PAUSE_WHERE_REFUSED: Pause = { firstMs: 1_000, factor: 2, longestMs: 5 * 60_000 };

/** Bad reads mostly mean an outage, so they are overruled seldom: about nine tries in a day of it. */
const PAUSE_WHERE_READS_FAIL: Pause = { firstMs: 10 * 60_000, factor: 2, longestMs: 4 * 60 * 60_000 };

type Trouble = Pick<ClosedGate, 'for' | 'reason'>;

const NO_ANSWER: Trouble = { for: 'unclear', reason: 'the worker that tried a submit ended before it had an answer' };

/**
 * Holds back an account's submits while the gateway is not in good order, so that an outage makes one unclear take and
 * not fifty, and a key that is refused one refused request and not a thousand.
 *
 * A closed gate lets one submit through at a time, of all workers of the account, and opens when the gateway gives that
 * one a sure answer. See docs/decisions/0010-account-gate.md.
 */
export interface AccountGate {
  /**
   * Lets a submit through, or says at once that it has to wait: it never waits itself for longer than a read takes.
   *
   * @throws GatewayDown, KeyRefused (retried)
   */
  pass(): Promise<Passage>;
}

/** What a submit that was let through owes the others: to say what it met. */
export interface Passage {
  /** @param task null where the answer named none that can be read. */
  accepted(task: TaskToRead | null): Promise<void>;
  failed(error: GatewayError): Promise<void>;
  /** To be called in the end, whatever came: where the gateway was not asked, another submit may try. */
  leave(): Promise<void>;
}

export function createAccountGate(gateway: GatewayClient, record: GateRecord): AccountGate {
  /** The newest task that the gateway is known to have. */
  let knownTask: TaskToRead | undefined;
  let lastLook: { readonly n: number; readonly atMs: number; readonly seen: Promise<GatewayLook> } | undefined;

  /** One look for all who wait; never one that began before this closing. */
  function look({ n }: StandingGate): Promise<GatewayLook> {
    if (lastLook?.n !== n || Date.now() - lastLook.atMs >= LOOK_AGAIN_MS) {
      lastLook = { n, atMs: Date.now(), seen: lookAtGateway(gateway, knownTask) };
    }
    return lastLook.seen;
  }

  /** @param tried the closing that the submit was to try; undefined for one that met an open gate. */
  async function close(
    { for: why, reason }: Trouble,
    { tried, leastMs = 0 }: { readonly tried?: StandingGate | undefined; readonly leastMs?: number } = {},
  ): Promise<void> {
    const before = tried ?? (await record.read());
    const failures = tried === undefined ? (before?.failures ?? 1) : tried.failures + 1;
    const pause = why === 'unclear' ? PAUSE_WHERE_UNCLEAR : PAUSE_WHERE_REFUSED;
    await record.close({
      for: why,
      reason,
      since: before?.since ?? timeIn(0),
      failures,
      tryAt: timeIn(Math.max(leastMs, lengthOf(pause, failures))),
      tryAnywayAt: timeIn(Math.max(leastMs, lengthOf(PAUSE_WHERE_READS_FAIL, failures))),
    });
  }

  /** @returns the closing that this submit tries; undefined where the gate is open. */
  async function enter(): Promise<StandingGate | undefined> {
    const gate = await record.read();
    if (gate === undefined) return undefined;
    if (gate.triedUntil !== null) {
      if (isPast(gate.triedUntil)) await close(NO_ANSWER, { tried: gate });
      throw held(gate, gate, TRY_LASTS_MS);
    }
    if (!isPast(gate.tryAt)) throw held(gate, gate, Date.parse(gate.tryAt) - Date.now());
    const trouble = troubleIn(await look(gate));
    if (trouble !== undefined && !isPast(gate.tryAnywayAt)) throw held(gate, trouble, LOOK_AGAIN_MS);
    if (!(await record.beginProbe(gate.n, timeIn(TRY_ENDS_WITHIN_MS)))) throw held(gate, gate, TRY_LASTS_MS);
    return gate;
  }

  return {
    async pass() {
      const tried = await whileLedgerServes(enter);
      let isAnswered = false;
      return {
        async accepted(task) {
          isAnswered = true;
          knownTask = task ?? knownTask;
          if (tried !== undefined) await whileLedgerServes(() => record.open(tried.n));
        },
        async failed(error) {
          const trouble = troubleOf(error);
          // A request that could not even be written has asked nobody.
          isAnswered = trouble !== undefined || error.status !== null;
          if (trouble !== undefined) {
            await whileLedgerServes(() => close(trouble, { tried, leastMs: error.retryAfterMs ?? 0 }));
          } else if (tried !== undefined && isAnswered) {
            await whileLedgerServes(() => record.open(tried.n));
          }
        },
        async leave() {
          if (tried === undefined || isAnswered) return;
          await whileLedgerServes(() => record.close(tried));
        },
      };
    },
  };
}

function held({ since }: ClosedGate, { for: why, reason }: Trouble, againMs: number): Error {
  return failure(why === 'key' ? 'KeyRefused' : 'GatewayDown', `submits wait since ${since}: ${reason}`, {
    nextRetryDelayMs: againMs,
  });
}

/** What a submit met that is a reason to hold back the next ones. */
function troubleOf(error: GatewayError): Trouble | undefined {
  const { acceptance, status, message: reason } = error;
  if (acceptance === 'unclear') return { for: 'unclear', reason };
  if (status === 401 || status === 403) return { for: 'key', reason };
  // Throttled, or out of credits: the gateway is in good order.
  return isRefusedForNow(error) && status !== 429 && status !== 402 ? { for: 'down', reason } : undefined;
}

function troubleIn(seen: GatewayLook): Trouble | undefined {
  if (!seen.reachable) return { for: 'down', reason: seen.reason };
  if (seen.key === 'refused') return { for: 'key', reason: seen.answer };
  return seen.inOrder ? undefined : { for: 'down', reason: seen.answer };
}

function lengthOf({ firstMs, factor, longestMs }: Pause, failures: number): number {
  return Math.min(longestMs, firstMs * factor ** Math.min(failures - 1, 20));
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

function isPast(time: string): boolean {
  return Date.parse(time) <= Date.now();
}
