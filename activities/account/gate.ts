import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import { type CallKind, type ClosedGate } from '../../contracts/gateway/gate';
import { type GatewayLook } from '../../gateway';
import { type GateRecord, type Probe, type OpeningStep, type GateClosing } from '../../store';
import { failure } from '../fail';

/** Shortest time between two reads of the gateway for one closing of a gate, in one worker. */
const LOOK_AGAIN_MS = 2_000;

/**
 * Bounds of the wait for another submit's probe. Most submits are answered within the lower bound. While a probe takes
 * longer, each wait is as long as the probe has taken so far, up to the upper bound.
 */
const TRY_LASTS_MS = { least: 1_000, most: 10_000 };

/** A time that grows by `factor` at each step, from `firstMs` to `longestMs`. */
interface Growing {
  readonly firstMs: number;
  readonly factor: number;
  readonly longestMs: number;
}

/**
 * Pause before the next probe after an unclear outcome. Each probe may make another unclear take, which costs a
 * person's time. The first probe has no pause (`firstMs` applies to the second), so after a single bad answer, submits
 * wait only for one read. Six probes come in the first ten minutes.
 */
const PAUSE_IF_UNCLEAR: Growing = { firstMs: 2_000, factor: 3, longestMs: 60 * 60_000 };

/**
 * How long no other submit may probe after the start of a probe. The time is limited, since the worker of the probe may
 * be gone. A longer probe, for example with large files on a slow line, can still open the gate. Hardly any probe takes
 * more than a minute.
 */
const TRY_ALONE: Growing = { firstMs: 5_000, factor: 3, longestMs: 60_000 };

/**
 * Pause before the next probe after a definite refusal. A refused probe costs nothing, but probes need not be frequent.
 */
const PAUSE_IF_REFUSED: Growing = { firstMs: 1_000, factor: 2, longestMs: 5 * 60_000 };

/**
 * Pause before a submit probes although reads fail. Failing reads mostly mean an outage, so such probes are rare: about
 * nine in a day.
 */
const PAUSE_IF_READS_FAIL: Growing = { firstMs: 10 * 60_000, factor: 2, longestMs: 4 * 60 * 60_000 };

/**
 * While a gate opens, `atOnce` submits may be in flight, and one more after each answer that shows that the gateway
 * works. After `answers` such answers, the gate is open. This limits the number of unclear takes if the gateway
 * recovers only partly.
 */
const OPENING = { atOnce: 2, answers: 14 };

/**
 * After this time an opening gate is open, since a worker whose submit was let through may be gone without an answer.
 */
const OPENING_LASTS_MS = 60_000;

/** How long a submit waits for others' answers while a gate opens, before it gives up its worker's slot. */
const WAIT_FOR_STEP_MS = 3_000;
const LOOK_FOR_STEP_EVERY_MS = 50;

export type Trouble = Pick<ClosedGate, 'for' | 'reason'>;

/** How a submit got through a gate. */
export interface Entry {
  /** The closing that this submit probes. */
  readonly tried?: GateClosing;
  /** The submit's step, while the gate opens gradually. */
  readonly step?: OpeningStep;
}

/** The trouble for which a submit closes a gate. */
export interface Closing extends Trouble {
  /** Shortest pause before the next probe, as the gateway asked. */
  readonly leastMs: number;
  readonly only?: CallKind;
}

/**
 * One gate. While closed, it lets one submit at a time through as a probe. After an answer that shows that the gateway
 * works, the gate opens gradually.
 */
export class Gate {
  readonly #record: GateRecord;
  readonly #seeGateway: () => Promise<GatewayLook>;
  readonly #whose: string;
  #lastLook: { readonly n: number; readonly atMs: number; readonly seen: Promise<GatewayLook> } | undefined;
  /** Number of the newest closing after which the gate has opened fully, as far as this worker knows. */
  #openedN = 0;

  /** @param whose the waiting calls, as messages name them: "submits". */
  constructor(record: GateRecord, seeGateway: () => Promise<GatewayLook>, whose: string) {
    this.#record = record;
    this.#seeGateway = seeGateway;
    this.#whose = whose;
  }

  /** @throws GatewayDown, KeyRefused (retried) while the gate is closed and this call may not probe yet */
  async check(by: CallKind): Promise<void> {
    await this.#checked(by);
  }

  /** @throws GatewayDown, KeyRefused (retried) */
  async enter(by: CallKind): Promise<Entry> {
    const patientUntilMs = performance.now() + WAIT_FOR_STEP_MS;
    for (;;) {
      const gate = await this.#checked(by);
      if (gate !== undefined) return this.#tryClosed(gate);
      const entry = await this.#stepThrough();
      if (entry !== undefined) return entry;
      if (performance.now() > patientUntilMs) {
        throw failure('GatewayDown', `${this.#whose} continue a few at a time, since the gateway has just recovered`, {
          nextRetryDelayMs: TRY_LASTS_MS.least,
        });
      }
      await sleep(LOOK_FOR_STEP_EVERY_MS);
    }
  }

  async close({ tried, step }: Entry, { for: why, reason, leastMs, only }: Closing): Promise<void> {
    if (step !== undefined) await this.#record.endStep(step, 'left');
    const recorded = await this.#record.read();
    // A submit that was in flight when the gate closed says nothing new, unless its answer asks for a longer wait. A
    // new closing would let another submit probe beside the probe in flight.
    const isLate = recorded !== undefined && tried === undefined;
    if (isLate && (leastMs === 0 || timeIn(leastMs) <= recorded.tryAt)) return;
    const failures = recorded === undefined ? 1 : recorded.failures + (tried === undefined ? 0 : 1);
    const pauseMs = why === 'unclear' ? lengthOf(PAUSE_IF_UNCLEAR, failures - 1) : lengthOf(PAUSE_IF_REFUSED, failures);
    const isAlone = only !== undefined && (recorded === undefined || isOnly(recorded, only));
    await this.#record.close({
      for: why,
      reason,
      since: recorded?.since ?? timeIn(0),
      failures,
      tryAt: timeIn(Math.max(leastMs, pauseMs)),
      tryAnywayAt: timeIn(Math.max(leastMs, lengthOf(PAUSE_IF_READS_FAIL, failures))),
      ...(isAlone ? { only } : {}),
    });
  }

  /** Closes the gate, if it is open, for the trouble of another gate. */
  async closeAs(closed: ClosedGate): Promise<void> {
    if ((await this.#record.read()) === undefined) await this.#record.close(closed);
  }

  /**
   * Closes the gate with a probe due at once, so that the next submits go through gradually. Does nothing if the gate
   * is closed, or began to open within the last OPENING_LASTS_MS.
   */
  async doubt({ for: why, reason, only }: Trouble & { readonly only: CallKind }): Promise<void> {
    const opening = await this.#record.opening();
    if (opening !== undefined && Date.now() - Date.parse(opening.openedAt) < OPENING_LASTS_MS) return;
    const at = timeIn(0);
    const closed = { for: why, reason, since: at, failures: 1, tryAt: at, only };
    await this.closeAs({ ...closed, tryAnywayAt: timeIn(lengthOf(PAUSE_IF_READS_FAIL, 1)) });
  }

  /** Call when an answer shows that the gateway works. */
  async sure({ tried, step }: Entry): Promise<void> {
    if (tried !== undefined) await this.#record.open(tried.n);
    if (step !== undefined) await this.#record.endStep(step, 'answered');
  }

  /** Call if the right to send was not used, or if the answer says nothing about the gateway. */
  async leave({ tried, step }: Entry): Promise<void> {
    // Only log an error: the right to send expires by itself, and the caller reports why the submit was not sent.
    const give = async (): Promise<void> => {
      if (step !== undefined) await this.#record.endStep(step, 'left');
      if (tried !== undefined && isLastProbe(tried, await this.#record.read())) await this.#record.close(tried);
    };
    await give().catch((error: unknown) => {
      log.warn(`the right to send through the gate could not be given back: ${String(error)}`);
    });
  }

  async isClosed(): Promise<boolean> {
    return (await this.#record.read()) !== undefined;
  }

  async #checked(by: CallKind): Promise<GateClosing | undefined> {
    const gate = await this.#record.read();
    if (gate === undefined) return undefined;
    if (!isPast(gate.tryAt) && !isOfOthers(gate, by)) throw this.#held(gate, gate, Date.parse(gate.tryAt) - Date.now());
    if (gate.lastProbe !== null && !isPast(gate.lastProbe.until))
      throw this.#held(gate, gate, afterTry(gate.lastProbe));
    return gate;
  }

  async #tryClosed(gate: GateClosing): Promise<Entry> {
    const trouble = troubleIn(await this.#look(gate));
    if (trouble !== undefined && !isPast(gate.tryAnywayAt)) throw this.#held(gate, trouble, LOOK_AGAIN_MS);
    const aloneMs = lengthOf(TRY_ALONE, gate.failures + gate.probes);
    if (!(await this.#record.beginProbe(gate, { at: timeIn(0), until: timeIn(aloneMs) })))
      throw this.#held(gate, gate, TRY_LASTS_MS.least);
    return { tried: gate };
  }

  /** Shares one read among all waiting submits. A read that began before this closing is not used. */
  #look({ n }: GateClosing): Promise<GatewayLook> {
    if (this.#lastLook?.n !== n || Date.now() - this.#lastLook.atMs >= LOOK_AGAIN_MS) {
      this.#lastLook = { n, atMs: Date.now(), seen: this.#seeGateway() };
    }
    return this.#lastLook.seen;
  }

  #held({ since }: ClosedGate, { for: why, reason }: Trouble, againMs: number): Error {
    return failure(why === 'key' ? 'KeyRefused' : 'GatewayDown', `${this.#whose} wait since ${since}: ${reason}`, {
      nextRetryDelayMs: againMs,
    });
  }

  /** @returns undefined if the submit must wait for a step. */
  async #stepThrough(): Promise<Entry | undefined> {
    const opening = await this.#record.opening();
    if (opening === undefined || opening.n <= this.#openedN) return {};
    const { n, openedAt, begun, answered, abandoned } = opening;
    if (answered >= OPENING.answers || Date.now() - Date.parse(openedAt) >= OPENING_LASTS_MS) {
      this.#openedN = n;
      return {};
    }
    if (begun - answered - abandoned >= OPENING.atOnce + answered) return undefined;
    const step = { n, k: begun + 1 };
    return (await this.#record.beginStep(step)) ? { step } : undefined;
  }
}

/** True if a closing concerns only calls of this kind. */
export function isOnly({ only }: ClosedGate, by: CallKind): boolean {
  return only !== undefined && isSameCall(only, by);
}

/**
 * True if a closing concerns only calls of another kind. Such a closing says little about calls of this kind, so they
 * may probe at once.
 */
function isOfOthers({ only }: ClosedGate, by: CallKind): boolean {
  return only !== undefined && !isSameCall(only, by);
}

function isSameCall(a: CallKind, b: CallKind): boolean {
  return a.mode === b.mode && a.model.id === b.model.id && a.model.workflow === b.model.workflow;
}

/** True if the probe that began from `tried` is the gate's last probe, and the gate was not closed again. */
function isLastProbe(tried: GateClosing, now: GateClosing | undefined): boolean {
  return now?.n === tried.n && now.probes === tried.probes + 1;
}

function troubleIn(seen: GatewayLook): Trouble | undefined {
  if (!seen.reachable) return { for: 'down', reason: seen.reason };
  if (seen.key === 'refused') return { for: 'key', reason: seen.answer };
  return seen.inOrder ? undefined : { for: 'down', reason: seen.answer };
}

function afterTry({ at }: Probe): number {
  return Math.min(Math.max(Date.now() - Date.parse(at), TRY_LASTS_MS.least), TRY_LASTS_MS.most);
}

/** @param times position in the growing series: 1 gives `firstMs`, and 0 gives no time. */
function lengthOf({ firstMs, factor, longestMs }: Growing, times: number): number {
  return times === 0 ? 0 : Math.min(longestMs, firstMs * factor ** Math.min(times - 1, 20));
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

function isPast(time: string): boolean {
  return Date.parse(time) <= Date.now();
}
