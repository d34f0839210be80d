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
 * An error answer of the sandbox. The request is charged only if its task was accepted first: an execute request timed
 * out, or a fault struck after the acceptance.
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
