/** Whether the gateway accepted a submit: definitely not, unknown, or definitely. */
export type Acceptance = 'no' | 'unclear' | 'yes';

/**
 * A failed call to the gateway, as HTTP facts. Contains no secrets and can be logged as it is.
 *
 * Has no `cause`: errors of the HTTP library contain raw parts of the answer.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /**
   * `response`: a status other than 2xx. `network`: no answer, a broken answer, or a cancelled call. `timeout`: no
   * complete answer in time. `protocol`: an unusable answer, or a request that cannot be built.
   */
  readonly kind: 'response' | 'network' | 'timeout' | 'protocol';
  readonly method: string;
  /** Path of the address, without host and query. */
  readonly path: string;
  /** HTTP status, also of an answer with an unusable body; null if no status arrived. */
  readonly status: number | null;
  /** From the Retry-After header, at most one hour. */
  readonly retryAfterMs: number | null;
  /** Start of the answer's body, without secrets; empty if there is none. */
  readonly body: string;
  /** For submit and execute: whether a task may exist. For a read: `yes`, because the task stays accepted. */
  readonly acceptance: Acceptance;

  constructor(facts: GatewayErrorFacts) {
    super(`${facts.method} ${facts.path} ${facts.what}`);
    this.kind = facts.kind;
    this.method = facts.method;
    this.path = facts.path;
    this.status = facts.status ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.body = facts.body ?? '';
    this.acceptance = facts.acceptance;
  }
}

export interface GatewayErrorFacts {
  readonly kind: GatewayError['kind'];
  readonly method: string;
  readonly path: string;
  /** End of the message, after method and path. Example: "answered 503". */
  readonly what: string;
  readonly acceptance: Acceptance;
  readonly status?: number;
  readonly retryAfterMs?: number | null;
  readonly body?: string;
}
