import type { LeaseKey } from '../../contracts/gateway/arbiter';

/** Names one sending of one take. */
export function attemptKey({ takeKey, sending }: LeaseKey): string {
  return `${takeKey}/${sending}`;
}
