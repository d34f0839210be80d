import type { Acceptance } from './acceptance';

/**
 * What went wrong at the gateway, in facts of HTTP. It holds no secret and can be logged as it is.
 *
 * There is no `cause`: the errors of the HTTP library hold raw pieces of the answer.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** Answered with an error status; not answered; not answered in time; answered with something that is no envelope. */
  readonly kind: 'response' | 'network' | 'timeout' | 'protocol';
  readonly method: string;
  /** Path of the address, without host and query. */
  readonly path: string;
  /** HTTP status, also where only the body was unusable; null where none came. */
  readonly status: number | null;
  /** From the Retry-After header, bounded. */
  readonly retryAfterMs: number | null;
  /** Beginning of the answer's body, secrets removed; empty where none came. */
  readonly body: string;
  /** On submit and execute: whether a task may exist. On a read always `yes`, since no refused read undoes a task. */
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
  /** What happened, to follow method and path: "answered 503". */
  readonly what: string;
  readonly acceptance: Acceptance;
  readonly status?: number;
  readonly retryAfterMs?: number | null;
  readonly body?: string;
}
