import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** One invalid parameter, in words that a person can act on. */
export interface ParameterProblem {
  /** Path within the model's own input, such as `imageUrls.0`. */
  readonly parameter: string;
  readonly message: string;
}

export interface RefusalDetails {
  readonly problems?: readonly ParameterProblem[];
  /** Value of the `Retry-After` header: seconds or a date. */
  readonly retryAfter?: string;
}

/**
 * The sandbox answers the request with an error. Nothing is charged, unless an execute times out or a fault strikes
 * after acceptance.
 */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';

  constructor(
    readonly status: ContentfulStatusCode,
    /** For programs, in snake case. */
    readonly code: string,
    message: string,
    readonly details: RefusalDetails = {},
  ) {
    super(message);
  }
}
