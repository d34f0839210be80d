import { type GatewayError } from '../gateway';

/**
 * Why a submit was refused: the request itself (`input`, `conflict`), the account (`key`, `credits`, `throttled`), or a
 * gateway that is down.
 */
export type SubmitRefusal = 'input' | 'conflict' | 'key' | 'credits' | 'throttled' | 'down';

/**
 * Statuses whose cause is not the request alone. Whether a task may exist all the same is decided by
 * gateway/acceptance.ts.
 *
 * Source: the gateway specification shows no statuses; these have their standard meaning (RFC 9110, RFC 6585).
 */
const REFUSALS: Readonly<Record<number, SubmitRefusal>> = {
  401: 'key',
  402: 'credits',
  403: 'key',
  // For example, an idempotency key was already used.
  409: 'conflict',
  429: 'throttled',
  500: 'down',
  502: 'down',
  503: 'down',
  504: 'down',
};

export function submitRefusal({ status, kind }: GatewayError): SubmitRefusal {
  // Without a status, nothing was sent or there was no answer. A request that cannot be built will not work later.
  if (status === null) return kind === 'protocol' ? 'input' : 'down';
  return REFUSALS[status] ?? 'input';
}

/** True if the same request may be accepted later. Says nothing about whether it was accepted now. */
export function isRefusedForNow(refusal: SubmitRefusal): boolean {
  return refusal !== 'input' && refusal !== 'conflict';
}
