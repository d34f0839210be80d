/** Time limits of one call, in milliseconds. The library's clock for `bodyMs` ticks about once a second. */
export interface Timeouts {
  /** Name, connection and TLS together. */
  readonly connectMs: number;
  /** Between two pieces of the answer's body. */
  readonly bodyMs: number;
  /** A whole submit or execute, the sending of its files included; at most SUBMIT_TOTAL_MS. */
  readonly paidTotalMs: number;
  readonly readTotalMs: number;
}

/**
 * The longest that any submit or execute lasts. Whoever finds one begun and not ended, as after a crash, can call it
 * unclear after that time.
 *
 * Two minutes let 42 MB through at 3 Mbit/s: a start and an end frame, each the largest data URI that is sent by
 * default. It does not depend on what is sent: only a gateway that hangs is ever waited for as long, and an execute
 * that runs too long is ended by the gateway itself.
 *
 * MAINTENANCE: a worker that is stopped must be given more; keep WORKER_GRACE_MS of workers/embedded/set-plan.ts and
 * stop_grace_period of docker-compose.yml in step.
 */
export const SUBMIT_TOTAL_MS = 120_000;

const DEFAULTS: Timeouts = {
  connectMs: 5_000,
  bodyMs: 10_000,
  paidTotalMs: SUBMIT_TOTAL_MS,
  // A read that hangs is cheaper repeated: an attempt to poll ends within 8 s, and Temporal needs some of it.
  readTotalMs: 7_000,
};

/** Fills in the defaults and keeps every paid call within SUBMIT_TOTAL_MS. */
export function resolveTimeouts(timeouts: Partial<Timeouts> = {}): Timeouts {
  const wanted = { ...DEFAULTS, ...timeouts };
  for (const [name, value] of Object.entries(wanted)) {
    if (!Number.isFinite(value) || value <= 0) throw new RangeError(`${name} must be a number of milliseconds above 0`);
  }
  return { ...wanted, paidTotalMs: Math.min(wanted.paidTotalMs, SUBMIT_TOTAL_MS) };
}
