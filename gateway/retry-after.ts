/** Longer waits are cut to this many milliseconds: the header may be wrong, and one request per hour costs little. */
export const RETRY_AFTER_MAX_MS = 3_600_000;

/**
 * Reads a Retry-After header, in seconds or as a date. Returns milliseconds from now; null if absent or unreadable.
 *
 * A date is compared with the answer's own Date header, if present, so that the clocks need not agree.
 *
 * Source: RFC 9110, 10.2.3.
 */
export function readRetryAfter(retryAfter: string | null, date: string | null, now: number): number | null {
  const text = retryAfter?.trim() ?? '';
  const delayMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : readDate(text) - (readDate(date) || now);
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(Math.ceil(delayMs), 0), RETRY_AFTER_MAX_MS);
}

/** Date.parse accepts almost anything, even "-5". An HTTP date begins with the name of a day. */
function readDate(text: string | null): number {
  return text !== null && /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
}
