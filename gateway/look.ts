import { KNOWN_MODELS } from '../contracts/models';
import { type GatewayClient } from './client';
import { GatewayError } from './errors';

/** A task that no gateway has: reading it shows whether the gateway answers and takes the key, and costs nothing. */
const NO_TASK = 'dailies-reads-no-task';

/**
 * How the gateway answers a read of a task that it does not have.
 *
 * In good order is any answer but 429 and 5xx, a 404 too. `doubted` is the key at a gateway that answers 403: it refuses
 * this key, or any key for a task that is not its own.
 */
export type GatewayLook =
  | {
      readonly reachable: true;
      readonly inOrder: boolean;
      readonly key: 'accepted' | 'doubted' | 'refused';
      /** In the gateway's words. */
      readonly answer: string;
    }
  | { readonly reachable: false; readonly reason: string };

/** Reads from the gateway once, to learn whether it is in good order and takes the key. Never spends. */
export async function lookAtGateway(gateway: GatewayClient): Promise<GatewayLook> {
  try {
    await gateway.read({ taskId: NO_TASK, model: { id: KNOWN_MODELS[0]?.id ?? '' } });
    return { reachable: true, inOrder: true, key: 'accepted', answer: 'OK' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { kind, status, message } = error;
    if (kind === 'network' || kind === 'timeout') return { reachable: false, reason: message };
    return {
      reachable: true,
      inOrder: status === null || (status < 500 && status !== 429),
      key: status === 401 ? 'refused' : status === 403 ? 'doubted' : 'accepted',
      answer: message,
    };
  }
}
