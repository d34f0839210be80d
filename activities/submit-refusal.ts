import { type GatewayError } from '../gateway';

/**
 * What a refused submit is refused for: the request itself (`input`, `conflict`), the account (`key`, `credits`,
 * `throttled`), or a gateway that is down.
 */
export type SubmitRefusal = 'input' | 'conflict' | 'key' | 'credits' | 'throttled' | 'down';

/**
 * Statuses that say more than that the request is at fault. Whether a task may exist all the same is another question,
 * with a table of its own: gateway/acceptance.ts.
 *
 * Source: the gateway specification shows no statuses; these have their standard meaning (RFC 9110, RFC 6585).
 */
const REFUSALS: Readonly<Record<number, SubmitRefusal>> = {
  401: 'key',
  402: 'credits',
  403: 'key',
  // It may be said of an idempotency key that was used.
  409: 'conflict',
  429: 'throttled',
  500: 'down',
  502: 'down',
  503: 'down',
  504: 'down',
};

export function submitRefusal({ status, kind }: GatewayError): SubmitRefusal {
  // Without a status no byte has left, or nobody answered. What cannot even be written will not be better later.
  if (status === null) return kind === 'protocol' ? 'input' : 'down';
  return REFUSALS[status] ?? 'input';
}

/** Whether the same request may be accepted later, as it stands. Says nothing about whether it was accepted. */
export function isRefusedForNow(refusal: SubmitRefusal): boolean {
  return refusal !== 'input' && refusal !== 'conflict';
}
