/** Time limits of one call, in milliseconds. undici checks `bodyMs` about once a second. */
export interface Timeouts {
  /** For DNS, connection and TLS together. */
  readonly connectMs: number;
  /** Between two parts of the answer's body. */
  readonly bodyMs: number;
  /** For a whole submit or execute, including the upload of its files; at most SUBMIT_TOTAL_MS. */
  readonly paidTotalMs: number;
  readonly readTotalMs: number;
}

/**
 * Longest duration of any submit or execute. If its outcome is not recorded some seconds after this time, the submit
 * counts as unclear: its process may have crashed.
 *
 * In two minutes, 3 Mbit/s send 45 MB. By default, a start and an end frame together have at most 42 MB. The limit does
 * not depend on the request's size, since a smaller request reaches it only if the gateway hangs. The gateway ends
 * an execute after about 20 s (decision 0040).
 *
 * MAINTENANCE: a worker must get more time than this to stop; keep WORKER_GRACE_MS of workers/embedded/set-plan.ts
 * and stop_grace_period of docker-compose.yml in step.
 */
export const SUBMIT_TOTAL_MS = 120_000;

const DEFAULTS: Timeouts = {
  connectMs: 5_000,
  bodyMs: 10_000,
  paidTotalMs: SUBMIT_TOTAL_MS,
  // Repeating a hanging read is cheaper than waiting for it. The wait and the read of one `awaitTask` attempt must fit
  // into 30 s.
  readTotalMs: 7_000,
};

/** Fills in the defaults, and lowers `paidTotalMs` to at most SUBMIT_TOTAL_MS. @throws RangeError */
export function resolveTimeouts(timeouts: Partial<Timeouts> = {}): Timeouts {
  const wanted = { ...DEFAULTS, ...timeouts };
  for (const [name, value] of Object.entries(wanted)) {
    if (!Number.isFinite(value) || value <= 0) throw new RangeError(`${name} must be a number of milliseconds above 0`);
  }
  return { ...wanted, paidTotalMs: Math.min(wanted.paidTotalMs, SUBMIT_TOTAL_MS) };
}
