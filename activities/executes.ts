import { log } from '@temporalio/activity';
import { type SendingMode } from '../contracts/plan';
import { type TakeRef } from '../contracts/take';
import { EXECUTE_LIMIT_MS } from '../contracts/wire';
import { type GatewayError } from '../gateway';
import { modelHash, type TimedOutExecutes } from '../store';
import { failure } from './fail';
import { whileLedgerServes } from './translate-error';

type Model = TakeRef['model'];

/**
 * Executes of one model that this worker has in flight, until one has answered lately: as many may become unclear when
 * the model has become slow. What comes beyond them is submitted.
 */
const UNTRIED_IN_FLIGHT = 4;

/** For how long an answer shows that the model ends in time. */
const ANSWER_COUNTS_MS = 60_000;

/** A model whose execute timed out is submitted for this long. It costs nothing but polls. */
const SUBMITTED_FOR_MS = 24 * 60 * 60_000;

/** Before a take that may only be executed looks again whether it may be. */
const LOOK_AGAIN_MS = 5_000;

/** Statuses of a server on the way that has waited too long: Request Timeout, Gateway Timeout, and a usual proxy's own. */
const TIMED_OUT_STATUSES: ReadonlySet<number> = new Set([408, 504, 524]);

/**
 * Decides at the moment of sending whether a task is executed, whatever was planned: a model that was quick when a plan
 * was frozen may stand behind a queue now.
 *
 * See docs/decisions/0040-execute-floods.md.
 */
export interface Executes {
  /** @throws AnswerAwaited for a take that has to be executed and has to wait, LedgerUnavailable (retried) */
  begin(model: Model, planned: PlannedMode): Promise<Execution>;
}

export interface PlannedMode {
  readonly mode: SendingMode;
  /** The take was sent in this way before and may be accepted: another way would make one more task of it. */
  readonly isFixed: boolean;
}

/** How one task is sent, and what the next ones of its model learn from it. */
export interface Execution {
  readonly mode: SendingMode;
  answered(): void;
  /** Notes a time-out, if it is one. */
  failed(error: GatewayError, tookMs: number): Promise<void>;
  /** To be called in the end, whatever came. */
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
  /** What this worker saw, also where the store did not take it. */
  const timedOutAtMs = new Map<string, number>();

  async function isSlow(model: Model): Promise<boolean> {
    const stored = await whileLedgerServes(() => timedOut.read(model));
    const lastMs = Math.max(timedOutAtMs.get(modelHash(model)) ?? 0, stored === undefined ? 0 : Date.parse(stored.at));
    return Date.now() - lastMs < SUBMITTED_FOR_MS;
  }

  function hasRoom(key: string): boolean {
    const isTried = Date.now() - (answeredAtMs.get(key) ?? 0) < ANSWER_COUNTS_MS;
    return isTried || (inFlight.get(key) ?? 0) < UNTRIED_IN_FLIGHT;
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
        timedOutAtMs.set(key, Date.now());
        answeredAtMs.delete(key);
        const record = { reason: error.message, at: new Date().toISOString() };
        await timedOut.note(model, record).catch((trouble: unknown) => {
          log.warn(`other workers are not told that executes of ${model.id} time out: ${String(trouble)}`);
        });
      },
      leave() {
        inFlight.set(key, Math.max(0, (inFlight.get(key) ?? 0) - 1));
      },
    };
  }

  return {
    async begin(model, { mode, isFixed }) {
      if (mode === 'submit') return SUBMIT;
      const isOutOfTime = await isSlow(model);
      // Nothing is awaited from here on: two would take the same place.
      const hasPlace = hasRoom(modelHash(model));
      if (isFixed && !hasPlace) throw waits(model);
      return hasPlace && (isFixed || !isOutOfTime) ? execution(model) : SUBMIT;
    },
  };
}

function waits({ id }: Model): Error {
  const reason = `${UNTRIED_IN_FLIGHT} executes of ${id} are in flight, and none has answered lately`;
  return failure('AnswerAwaited', reason, { nextRetryDelayMs: LOOK_AGAIN_MS });
}

/**
 * Whether an execute took longer than executes may: no answer in time, or a connection that broke after that time.
 *
 * Such a task may well be under way, and says nothing of the gateway's health.
 */
function isTimeOut({ acceptance, kind, status }: GatewayError, tookMs: number): boolean {
  if (acceptance !== 'unclear') return false;
  return kind === 'timeout' || (status !== null && TIMED_OUT_STATUSES.has(status)) || tookMs >= EXECUTE_LIMIT_MS;
}
