import { KNOWN_MODELS } from '../contracts/models';
import { type GatewayClient } from './client';
import { GatewayError } from './errors';

/** What a look reads: a task, and where it is read. */
export type TaskToRead = Parameters<GatewayClient['read']>[0];

/** A task that no gateway has: reading it shows whether the gateway answers and takes the key, and costs nothing. */
const NO_TASK: TaskToRead = { taskId: 'dailies-reads-no-task', model: { id: KNOWN_MODELS[0]?.id ?? '' } };

/**
 * How the gateway answers a read.
 *
 * In good order is a readable envelope, and any 4xx but 429, a 404 too; not a page in an envelope's place.
 * `doubted` is the key at a gateway that answers 403: it refuses this key, or any key for a task that is not its own.
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

/**
 * Reads from the gateway once, to learn whether it is in good order and takes the key. Never spends.
 *
 * @param task one that the gateway has, where one is known: an id that it does not know may upset a gateway that is
 *   in good order.
 */
export async function lookAtGateway(gateway: GatewayClient, task: TaskToRead = NO_TASK): Promise<GatewayLook> {
  try {
    await gateway.read(task);
    return { reachable: true, inOrder: true, key: 'accepted', answer: 'OK' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { kind, status, message } = error;
    if (kind === 'network' || kind === 'timeout') return { reachable: false, reason: message };
    return {
      reachable: true,
      inOrder: kind === 'response' && status !== null && status >= 400 && status < 500 && status !== 429,
      key: status === 401 ? 'refused' : status === 403 ? 'doubted' : 'accepted',
      answer: message,
    };
  }
}
