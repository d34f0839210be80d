import { log } from '@temporalio/activity';
import { type ClosedGate } from '../contracts/gate';
import { type GatewayClient, type GatewayError, type GatewayLook, lookAtGateway, type TaskToRead } from '../gateway';
import { type GateRecord, type LastTry, type StandingGate } from '../store';
import { failure } from './fail';
import { submitRefusal } from './submit-refusal';
import { whileLedgerServes } from './translate-error';

/** Time between two looks of one worker at a gateway that does not let submits through. */
const LOOK_AGAIN_MS = 2_000;

/**
 * A submit is mostly answered within this time; then the others go on, or know how long to wait. While one takes longer
 * they come back after as long as it has taken, up to a bound.
 */
const TRY_LASTS_MS = { least: 1_000, most: 10_000 };

/** A time that grows with each failure in a row. */
interface Growing {
  readonly firstMs: number;
  readonly factor: number;
  readonly longestMs: number;
}

/**
 * Before a further try where one was unclear: each may leave one more take unclear, which costs a person's time. The
 * first try comes at once, so that a single bad answer costs the account one read; six more come in ten minutes.
 */
const PAUSE_WHERE_UNCLEAR: Growing = { firstMs: 2_000, factor: 3, longestMs: 60 * 60_000 };

/**
 * Past this the worker that tries may be gone, as one that was killed, and another tries beside it. One that only takes
 * long, as with large files on a slow line, still opens the gate when it is answered. Hardly any takes more than a minute.
 */
const TRY_ALONE: Growing = { firstMs: 5_000, factor: 3, longestMs: 60_000 };

/** A try that is surely refused costs nothing; it need not be often. */
const PAUSE_WHERE_REFUSED: Growing = { firstMs: 1_000, factor: 2, longestMs: 5 * 60_000 };

/** Bad reads mostly mean an outage, so they are overruled seldom: about nine tries in a day of it. */
const PAUSE_WHERE_READS_FAIL: Growing = { firstMs: 10 * 60_000, factor: 2, longestMs: 4 * 60 * 60_000 };

type Trouble = Pick<ClosedGate, 'for' | 'reason'>;

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
  /** The request goes out: from now on the gateway may have been asked. */
  asks(): void;
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
    { tried, leastMs }: { readonly tried: StandingGate | undefined; readonly leastMs: number },
  ): Promise<void> {
    const standing = await record.read();
    // What was on the wire when the gate closed says nothing new, unless it asks for a longer wait.
    if (standing !== undefined && tried === undefined && timeIn(leastMs) <= standing.tryAt) return;
    const failures = standing === undefined ? 1 : standing.failures + (tried === undefined ? 0 : 1);
    const pauseMs =
      why === 'unclear' ? lengthOf(PAUSE_WHERE_UNCLEAR, failures - 1) : lengthOf(PAUSE_WHERE_REFUSED, failures);
    await record.close({
      for: why,
      reason,
      since: standing?.since ?? timeIn(0),
      failures,
      tryAt: timeIn(Math.max(leastMs, pauseMs)),
      tryAnywayAt: timeIn(Math.max(leastMs, lengthOf(PAUSE_WHERE_READS_FAIL, failures))),
    });
  }

  /** @returns the closing that this submit tries; undefined where the gate is open. */
  async function enter(): Promise<StandingGate | undefined> {
    const gate = await record.read();
    if (gate === undefined) return undefined;
    if (!isPast(gate.tryAt)) throw held(gate, gate, Date.parse(gate.tryAt) - Date.now());
    if (gate.lastTry !== null && !isPast(gate.lastTry.until)) throw held(gate, gate, afterTry(gate.lastTry));
    const trouble = troubleIn(await look(gate));
    if (trouble !== undefined && !isPast(gate.tryAnywayAt)) throw held(gate, trouble, LOOK_AGAIN_MS);
    const aloneMs = lengthOf(TRY_ALONE, gate.failures + gate.probes);
    if (!(await record.beginProbe(gate, { at: timeIn(0), until: timeIn(aloneMs) })))
      throw held(gate, gate, TRY_LASTS_MS.least);
    return gate;
  }

  /** The right to try is given back unused. */
  async function giveBack(tried: StandingGate): Promise<void> {
    if ((await record.read())?.n === tried.n) await record.close(tried);
  }

  return {
    async pass() {
      const tried = await whileLedgerServes(enter);
      let hasAsked = false;
      return {
        asks() {
          hasAsked = true;
        },
        async accepted(task) {
          knownTask = task ?? knownTask;
          if (tried !== undefined) await whileLedgerServes(() => record.open(tried.n));
        },
        async failed(error) {
          const trouble = troubleOf(error);
          // A request that could not even be written has asked nobody.
          hasAsked = trouble !== undefined || error.status !== null;
          if (trouble !== undefined) {
            await whileLedgerServes(() => close(trouble, { tried, leastMs: error.retryAfterMs ?? 0 }));
          } else if (tried !== undefined && hasAsked) {
            await whileLedgerServes(() => record.open(tried.n));
          }
        },
        async leave() {
          if (tried === undefined || hasAsked) return;
          // Where it cannot be given back it lapses, and what has kept the submit from going out is told instead.
          await giveBack(tried).catch((error: unknown) => {
            log.warn(`the right to try a submit could not be given back: ${String(error)}`);
          });
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
  const { acceptance, message: reason } = error;
  if (acceptance === 'unclear') return { for: 'unclear', reason };
  const refusal = submitRefusal(error);
  // Other refusals are of this request, or say to wait or to pay: the gateway is in good order.
  return refusal === 'key' || refusal === 'down' ? { for: refusal, reason } : undefined;
}

function troubleIn(seen: GatewayLook): Trouble | undefined {
  if (!seen.reachable) return { for: 'down', reason: seen.reason };
  if (seen.key === 'refused') return { for: 'key', reason: seen.answer };
  return seen.inOrder ? undefined : { for: 'down', reason: seen.answer };
}

function afterTry({ at }: LastTry): number {
  return Math.min(Math.max(Date.now() - Date.parse(at), TRY_LASTS_MS.least), TRY_LASTS_MS.most);
}

/** @param times how often it has grown, from 1; 0 is no time at all. */
function lengthOf({ firstMs, factor, longestMs }: Growing, times: number): number {
  return times === 0 ? 0 : Math.min(longestMs, firstMs * factor ** Math.min(times - 1, 20));
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

function isPast(time: string): boolean {
  return Date.parse(time) <= Date.now();
}
