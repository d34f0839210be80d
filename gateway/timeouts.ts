import { EXECUTE_LIMIT_MS } from '../contracts/wire';

/** Time limits of one call, in milliseconds. The library's clock for `headersMs` and `bodyMs` ticks about once a second. */
export interface Timeouts {
  /** Name, connection and TLS together. */
  readonly connectMs: number;
  /** From the request to the answer's headers; an execute may take all of its own limit. */
  readonly headersMs: number;
  /** Between two pieces of the answer's body. */
  readonly bodyMs: number;
  /** A whole submit, at most SUBMIT_TOTAL_MS. */
  readonly submitTotalMs: number;
  readonly executeTotalMs: number;
  readonly readTotalMs: number;
}

/**
 * The longest that any submit or execute lasts. Whoever finds one begun and not ended, as after a crash, can call it
 * unclear after that time. A minute lets 20 MB of data URIs through at 3 Mbit/s.
 */
export const SUBMIT_TOTAL_MS = 60_000;

/** An answer at the very limit of execute still has to travel. */
const EXECUTE_MARGIN_MS = 5_000;

const DEFAULTS: Timeouts = {
  connectMs: 5_000,
  headersMs: 45_000,
  bodyMs: 10_000,
  submitTotalMs: SUBMIT_TOTAL_MS,
  executeTotalMs: EXECUTE_LIMIT_MS + EXECUTE_MARGIN_MS,
  // A read that hangs is cheaper repeated: an attempt to poll ends within 8 s, and Temporal needs some of it.
  readTotalMs: 7_000,
};

/** Fills in the defaults and keeps every paid call within SUBMIT_TOTAL_MS. */
export function resolveTimeouts(timeouts: Partial<Timeouts> = {}): Timeouts {
  const wanted = { ...DEFAULTS, ...timeouts };
  for (const [name, value] of Object.entries(wanted)) {
    if (!Number.isFinite(value) || value <= 0) throw new RangeError(`${name} must be a number of milliseconds above 0`);
  }
  return {
    ...wanted,
    submitTotalMs: Math.min(wanted.submitTotalMs, SUBMIT_TOTAL_MS),
    executeTotalMs: Math.min(wanted.executeTotalMs, SUBMIT_TOTAL_MS),
  };
}
