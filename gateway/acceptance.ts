/** Whether the gateway accepted a submit: definitely not, unknown, or definitely. */
export type Acceptance = 'no' | 'unclear' | 'yes';

/**
 * Statuses that a gateway answers before it accepts a task, each with its meaning. Any other status is unclear.
 *
 * Source: the gateway specification shows no statuses; these have their standard meaning (RFC 9110, RFC 6585).
 */
export const NOT_ACCEPTED_STATUSES: Readonly<Record<number, string>> = {
  // Redirects are never followed: that would send the key elsewhere. These three say that nothing was done here. 302
  // and 303 are not listed, since a server may answer a POST with them after carrying it out.
  301: 'the address has moved',
  307: 'the request is to be sent elsewhere',
  308: 'the address has moved',
  400: 'the request is not understood',
  401: 'the key is not accepted',
  402: 'the account cannot pay',
  403: 'the key may not do this',
  404: 'there is no such model or address',
  409: 'the request contradicts another one',
  413: 'the request is too large',
  415: 'the content type is not accepted',
  422: 'the parameters are not accepted',
  429: 'too many requests',
};

/** Temporarily unavailable. If the server names a time to come back, it has turned the request away. */
const UNAVAILABLE = 503;

/**
 * Looks up the status of an answer to submit or execute. `alsoNotAccepted` adds statuses that are known of one gateway.
 */
export function acceptanceOfStatus(
  status: number,
  retryAfterMs: number | null,
  alsoNotAccepted: readonly number[],
): Acceptance {
  if (status in NOT_ACCEPTED_STATUSES || alsoNotAccepted.includes(status)) return 'no';
  return status === UNAVAILABLE && retryAfterMs !== null ? 'no' : 'unclear';
}

/**
 * Checks statuses that a user adds to the table.
 *
 * @throws RangeError for anything but 400 to 599: a 2xx or 3xx never proves that nothing was accepted.
 */
export function checkNotAcceptedStatuses(statuses: readonly number[]): readonly number[] {
  const wrong = statuses.find((status) => !Number.isInteger(status) || status < 400 || status > 599);
  if (wrong !== undefined) throw new RangeError(`${wrong} cannot mean "not accepted": name statuses from 400 to 599`);
  return statuses;
}
