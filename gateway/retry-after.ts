/** The longest wait that is obeyed, in milliseconds. Past an hour it is cheaper to ask again than to trust the number. */
export const RETRY_AFTER_MAX_MS = 3_600_000;

/**
 * Reads a Retry-After header, given in seconds or as a date, in milliseconds from now; null where it cannot be read.
 *
 * A date is compared with the answer's own Date header where there is one, so that two clocks need not agree.
 *
 * Source: RFC 9110, 10.2.3.
 */
export function readRetryAfter(retryAfter: string | null, date: string | null, now: number): number | null {
  const text = retryAfter?.trim() ?? '';
  const delayMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : readDate(text) - (readDate(date) || now);
  return Number.isNaN(delayMs) ? null : Math.min(Math.max(Math.ceil(delayMs), 0), RETRY_AFTER_MAX_MS);
}

/** Date.parse takes almost anything, "-5" too; a date of HTTP begins with the name of a day. */
function readDate(text: string | null): number {
  return text !== null && /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
}
