import { log } from '@temporalio/activity';
import { type SendingMode } from '../../contracts/render/plan';
import { EXECUTE_LIMIT_MS } from '../../contracts/gateway/wire';
import { type GatewayError } from '../../gateway';
import { type AddressedModel, modelHash, type TimedOutExecutes } from '../../store';
import { failure } from '../fail';
import { whileLedgerServes } from '../translate-error';

type Model = AddressedModel;

/**
 * If this many executes of one model are in flight in this worker and none was answered recently, further tasks are
 * submitted, or wait if they must be executed. If the model becomes slow while no answer is recent, up to this many
 * takes of each worker may become unclear.
 */
const UNTRIED_IN_FLIGHT = 4;

/** How long an answer to an execute counts as recent. A recent answer shows that the model's tasks end in time. */
const ANSWER_COUNTS_MS = 60_000;

/** How long a model's tasks are submitted after one of its executes timed out. This costs only additional polls. */
const SUBMITTED_FOR_MS = 24 * 60 * 60_000;

/**
 * How long a model's tasks are submitted if its executes fail while other calls are answered. The time is short, since
 * the failure may end soon.
 */
const SUBMITTED_FOR_A_FAILURE_MS = 10 * 60_000;

/** Pause until the next attempt to send a take that must be executed and had to wait. */
const LOOK_AGAIN_MS = 5_000;

/** Statuses of a server or proxy that waited too long: Request Timeout, Gateway Timeout, and Cloudflare's 524. */
const TIMED_OUT_STATUSES: ReadonlySet<number> = new Set([408, 504, 524]);

/**
 * Decides right before sending whether a task is executed (one call that waits for the result) or submitted (and then
 * polled). The plan alone does not decide: a model that was quick when the plan was frozen may have a long queue now.
 *
 * See docs/decisions/0040-execute-floods.md.
 */
export interface Executes {
  /** @throws AnswerAwaited if the take must be executed and has to wait; LedgerUnavailable (both retried) */
  begin(model: Model, planned: PlannedMode): Promise<Execution>;
  /**
   * Makes `begin` submit the model's tasks for a while. Call it if the model's executes fail while other calls are
   * answered.
   */
  readonly submitInstead: (model: Model, reason: string) => Promise<void>;
}

export interface PlannedMode {
  readonly mode: SendingMode;
  /** True if an earlier sending in this mode may have been accepted. The other mode could make a second task. */
  readonly isFixed: boolean;
  /** True if the call probes a closed `AccountGate`. Unless `isFixed`, such a call is submitted for a quick answer. */
  readonly isTry: boolean;
}

/** How one task is sent. The outcome decides how later tasks of the model are sent. */
export interface Execution {
  readonly mode: SendingMode;
  answered(): void;
  /** If an execute timed out, makes `begin` submit the model's tasks for a while. */
  failed(error: GatewayError, tookMs: number): Promise<void>;
  /** Must be called at the end, whatever the outcome. */
  leave(): void;
}

const SUBMIT: Execution = {
  mode: 'submit',
  answered: () => undefined,
  failed: () => Promise.resolve(),
  leave: () => undefined,
};

export function createExecutes(timedOut: TimedOutExecutes): Executes {
  const inFlight = new Map<string, number>();
  const answeredAtMs = new Map<string, number>();
  /**
   * For each model whose executes failed in this worker: the time until which its tasks are submitted. Applies even if
   * the store could not record the time.
   */
  const submittedUntilMs = new Map<string, number>();

  async function isSlow(model: Model): Promise<boolean> {
    const stored = await whileLedgerServes(() => timedOut.read(model));
    const storedMs = stored === undefined ? 0 : Date.parse(stored.until);
    return Date.now() < Math.max(submittedUntilMs.get(modelHash(model)) ?? 0, storedMs);
  }

  function hasRoom(key: string): boolean {
    const isTried = Date.now() - (answeredAtMs.get(key) ?? 0) < ANSWER_COUNTS_MS;
    return isTried || (inFlight.get(key) ?? 0) < UNTRIED_IN_FLIGHT;
  }

  async function submitFor(model: Model, reason: string, lastsMs: number): Promise<void> {
    const key = modelHash(model);
    const untilMs = Date.now() + lastsMs;
    if ((submittedUntilMs.get(key) ?? 0) >= untilMs) return;
    submittedUntilMs.set(key, untilMs);
    answeredAtMs.delete(key);
    const record = { reason, at: new Date().toISOString(), until: new Date(untilMs).toISOString() };
    await timedOut.note(model, record).catch((trouble: unknown) => {
      log.warn(`other workers are not told that executes of ${model.id} fail: ${String(trouble)}`);
    });
  }

  function execution(model: Model): Execution {
    const key = modelHash(model);
    inFlight.set(key, (inFlight.get(key) ?? 0) + 1);
    return {
      mode: 'execute',
      answered() {
        answeredAtMs.set(key, Date.now());
      },
      async failed(error, tookMs) {
        if (!isTimeOut(error, tookMs)) return;
        await submitFor(model, error.message, SUBMITTED_FOR_MS);
      },
      leave() {
        inFlight.set(key, Math.max(0, (inFlight.get(key) ?? 0) - 1));
      },
    };
  }

  return {
    async submitInstead(model, reason) {
      // Keep the longer time that an earlier timeout has set.
      if (!(await isSlow(model))) await submitFor(model, reason, SUBMITTED_FOR_A_FAILURE_MS);
    },
    async begin(model, { mode, isFixed, isTry }) {
      if (mode === 'submit' || (isTry && !isFixed)) return SUBMIT;
      const isOutOfTime = await isSlow(model);
      // No `await` from here on: otherwise two tasks could take the same place.
      const hasPlace = hasRoom(modelHash(model));
      if (isFixed && !hasPlace) throw answerAwaited(model);
      return hasPlace && (isFixed || !isOutOfTime) ? execution(model) : SUBMIT;
    },
  };
}

function answerAwaited({ id }: Model): Error {
  const reason = `${UNTRIED_IN_FLIGHT} execute calls for ${id} are open, and none was answered lately`;
  return failure('AnswerAwaited', reason, { nextRetryDelayMs: LOOK_AGAIN_MS });
}

/**
 * True if the outcome of an execute is unclear because it took too long: there was no answer in time, a status of
 * TIMED_OUT_STATUSES, or any other error after the execute limit.
 *
 * The task may be under way, so the timeout shows nothing about the gateway's health.
 */
export function isTimeOut({ acceptance, kind, status }: GatewayError, tookMs: number): boolean {
  if (acceptance !== 'unclear') return false;
  return kind === 'timeout' || (status !== null && TIMED_OUT_STATUSES.has(status)) || tookMs >= EXECUTE_LIMIT_MS;
}
