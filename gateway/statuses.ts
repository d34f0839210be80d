import type { FailureType } from '../contracts/failures';
import type { Acceptance, GatewayError } from './errors';

/**
 * Why a submit was refused: the request itself (`input`, `conflict`), the account (`key`, `credits`, `throttled`), or a
 * gateway that is down.
 */
export type SubmitRefusal = 'input' | 'conflict' | 'key' | 'credits' | 'throttled' | 'down';

interface Refusal {
  /** Whether the same request may be accepted later. Says nothing about whether it was accepted now. */
  readonly again: boolean;
  /** The failure with which Temporal retries the submit. Absent: `GatewayDown`, if the submit is retried at all. */
  readonly failure?: FailureType;
}

export const REFUSALS: Readonly<Record<SubmitRefusal, Refusal>> = {
  input: { again: false },
  conflict: { again: false },
  key: { again: true, failure: 'KeyRefused' },
  /** The shot parks. A person can send it again after buying credits. */
  credits: { again: true },
  throttled: { again: true, failure: 'GatewayThrottled' },
  down: { again: true },
};

interface StatusMeaning {
  /**
   * Whether a submit or execute with this answer was accepted. `no`: a gateway gives this answer before it accepts a
   * task.
   */
  readonly accepted: 'no' | 'no, with Retry-After' | 'unclear';
  readonly refusal: SubmitRefusal;
  readonly words: string;
  /** What the answer to a read says. Absent: only that the read failed. */
  readonly read?: 'key' | 'key or owner' | 'no such task' | 'task gone';
  /**
   * The error code of the sandbox's fault `refuse-STATUS`. Absent: the sandbox has no such fault, or defines it in
   * `sandbox/faults/fault-table.ts`.
   */
  readonly fault?: string;
}

/**
 * What each status of the gateway means. A status that is not listed counts as the refusal `input`, and leaves unclear
 * whether a task was accepted.
 *
 * Source: the gateway specification shows no statuses; these have their standard meaning (RFC 9110, RFC 6585).
 */
export const STATUSES = {
  // Redirects are never followed, because the key would be sent elsewhere. These three say that nothing was done here.
  // 302 and 303 are not listed, because a server may carry out a POST and then answer with them.
  301: { accepted: 'no', refusal: 'input', words: 'the address has moved' },
  307: { accepted: 'no', refusal: 'input', words: 'the request is to be sent elsewhere' },
  308: { accepted: 'no', refusal: 'input', words: 'the address has moved' },
  400: { accepted: 'no', refusal: 'input', words: 'the request is not understood', fault: 'malformed_request' },
  401: { accepted: 'no', refusal: 'key', words: 'the key is not accepted', read: 'key', fault: 'unauthenticated' },
  402: { accepted: 'no', refusal: 'credits', words: 'the account cannot pay', fault: 'credits_exhausted' },
  403: { accepted: 'no', refusal: 'key', words: 'the key may not do this', read: 'key or owner', fault: 'forbidden' },
  404: {
    accepted: 'no',
    refusal: 'input',
    words: 'there is no such model or address',
    read: 'no such task',
    fault: 'unknown_address',
  },
  // For example, an idempotency key was already used.
  409: { accepted: 'no', refusal: 'conflict', words: 'the request contradicts another one', fault: 'conflict' },
  410: { accepted: 'unclear', refusal: 'input', words: 'the task is gone', read: 'task gone' },
  413: { accepted: 'no', refusal: 'input', words: 'the request is too large', fault: 'body_too_large' },
  415: { accepted: 'no', refusal: 'input', words: 'the content type is not accepted', fault: 'unsupported_media_type' },
  422: { accepted: 'no', refusal: 'input', words: 'the parameters are not accepted', fault: 'invalid_parameters' },
  429: { accepted: 'no', refusal: 'throttled', words: 'too many requests' },
  500: { accepted: 'unclear', refusal: 'down', words: 'the gateway has failed' },
  502: { accepted: 'unclear', refusal: 'down', words: 'the gateway cannot reach its own server' },
  // If the server names a time to come back, it has turned the request away.
  503: { accepted: 'no, with Retry-After', refusal: 'down', words: 'the gateway is down' },
  504: { accepted: 'unclear', refusal: 'down', words: 'the gateway got no answer in time' },
} as const satisfies Readonly<Record<number, StatusMeaning>>;

const UNLISTED: StatusMeaning = { accepted: 'unclear', refusal: 'input', words: 'not a status of the table' };

function meaningOf(status: number): StatusMeaning {
  return Object.hasOwn(STATUSES, status) ? STATUSES[status as keyof typeof STATUSES] : UNLISTED;
}

/**
 * Tells from the status of an answer whether a submit or execute was accepted. `alsoNotAccepted` adds statuses with
 * which this gateway is known to refuse tasks.
 */
export function acceptanceOfStatus(
  status: number,
  retryAfterMs: number | null,
  alsoNotAccepted: readonly number[],
): Acceptance {
  const { accepted } = meaningOf(status);
  if (accepted === 'no' || alsoNotAccepted.includes(status)) return 'no';
  return accepted === 'no, with Retry-After' && retryAfterMs !== null ? 'no' : 'unclear';
}

/** Why a submit or execute was refused. The error's `acceptance` says whether a task may exist nevertheless. */
export function submitRefusal({ status, kind }: GatewayError): SubmitRefusal {
  // Without a status, the request could not be built or the answer is not HTTP (`protocol`), or there was no answer. A
  // retry helps only in the last case.
  if (status === null) return kind === 'protocol' ? 'input' : 'down';
  return meaningOf(status).refusal;
}

/** True if the status means that the request was certainly refused, and that a retry would be refused too. */
export function isRefusedForGood(status: number): boolean {
  const { accepted, refusal } = meaningOf(status);
  return accepted === 'no' && !REFUSALS[refusal].again;
}

/** What a failed read says about the task or the key; undefined if it says nothing. */
export function readRefusal({ status }: GatewayError): StatusMeaning['read'] {
  return status === null ? undefined : meaningOf(status).read;
}

/** True for any 4xx answer except 429: the gateway works, and refuses this request, its key or its account. */
export function isAboutTheRequest({ kind, status }: GatewayError): boolean {
  if (kind !== 'response' || status === null) return false;
  return status >= 400 && status < 500 && meaningOf(status).refusal !== 'throttled';
}

/**
 * Checks statuses that a user adds to the table.
 *
 * @throws RangeError for a status outside 400 to 599. A 2xx status, or a 3xx status that `STATUSES` lacks, never proves
 *   a refusal.
 */
export function checkNotAcceptedStatuses(statuses: readonly number[]): readonly number[] {
  const wrong = statuses.find((status) => !Number.isInteger(status) || status < 400 || status > 599);
  if (wrong !== undefined) throw new RangeError(`${wrong} cannot mean "not accepted": name statuses from 400 to 599`);
  return statuses;
}
