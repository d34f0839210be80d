import { type ClosedGate } from '../contracts/gate';
import { type GatewayClient, type GatewayError, lookAtGateway } from '../gateway';
import { type GateRecord } from '../store';
import { failure } from './fail';
import { isRefusedForNow } from './translate-error';

/** Time between two looks at a gateway that does not let submits through. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Holds back an account's submits while the gateway is not in good order, so that an outage makes one unclear take and
 * not fifty, and a key that is refused one refused request and not a thousand.
 */
export interface AccountGate {
  /**
   * Lets a submit through, after a look at the gateway where the gate is closed.
   *
   * @throws GatewayDown, KeyRefused (retried)
   */
  pass(): Promise<void>;
  /** Closes for an unclear submit, a refused key, a gateway that is down; other errors are no reason. */
  closeFor(error: GatewayError): Promise<void>;
}

export function createAccountGate(gateway: GatewayClient, record: GateRecord): AccountGate {
  /** One look at a time for all who wait. */
  let looking: Promise<void> | undefined;

  async function look(closed: ClosedGate): Promise<void> {
    const seen = await lookAtGateway(gateway);
    if (seen.reachable && seen.inOrder && seen.key !== 'refused') return record.open();
    const isKey = seen.reachable && seen.key === 'refused';
    const reason = seen.reachable ? seen.answer : seen.reason;
    await record.close({ for: isKey ? 'key' : 'down', reason, since: closed.since });
    throw failure(isKey ? 'KeyRefused' : 'GatewayDown', `submits wait since ${closed.since}: ${reason}`, {
      nextRetryDelayMs: LOOK_AGAIN_MS,
    });
  }

  return {
    async pass() {
      const closed = await record.read();
      if (closed === undefined) return;
      looking ??= look(closed).finally(() => (looking = undefined));
      await looking;
    },
    async closeFor(error) {
      const why = reasonToClose(error);
      if (why === undefined) return;
      const since = (await record.read())?.since ?? new Date().toISOString();
      await record.close({ for: why, reason: error.message, since });
    },
  };
}

function reasonToClose(error: GatewayError): ClosedGate['for'] | undefined {
  if (error.acceptance === 'unclear') return 'unclear';
  if (error.status === 401 || error.status === 403) return 'key';
  return isRefusedForNow(error) && error.status !== 429 && error.status !== 402 ? 'down' : undefined;
}
