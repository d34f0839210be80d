import { KNOWN_MODELS } from '../contracts/gateway/models';
import { type GatewayClient } from './client';
import { GatewayError } from './errors';
import { isAboutTheRequest, readRefusal } from './statuses';

/** The id of a task, and the address of its model. */
export type TaskToRead = Parameters<GatewayClient['read']>[0];

/** A task that no gateway has. Reading it costs nothing and shows whether the gateway answers and accepts the key. */
const NO_TASK: TaskToRead = { taskId: 'dailies-reads-no-task', model: { id: KNOWN_MODELS[0]?.id ?? '' } };

/**
 * How the gateway answers a read.
 *
 * `inOrder` is true for a readable envelope and for any 4xx but 429, including 404. It is false for any other answer,
 * for example a web page instead of an envelope. `doubted` means 403: the gateway refuses this key, or any key that
 * does not own the task. `accepted` only means that the answer does not refuse the key. `unknown` means that the
 * gateway may not have checked the key: the answer is not in order, such as 429 or 503.
 */
export type GatewayLook =
  | {
      readonly reachable: true;
      readonly inOrder: boolean;
      readonly key: 'accepted' | 'doubted' | 'refused' | 'unknown';
      /** The message of the failed read; `OK` if it succeeded. */
      readonly answer: string;
    }
  | { readonly reachable: false; readonly reason: string };

/**
 * Reads from the gateway once, to find out whether it is in order and accepts the key. Never spends.
 *
 * @param task a task that the gateway has, if one is known. A working gateway may answer an unknown id with an error.
 */
export async function lookAtGateway(gateway: GatewayClient, task: TaskToRead = NO_TASK): Promise<GatewayLook> {
  try {
    await gateway.read(task);
    return { reachable: true, inOrder: true, key: 'accepted', answer: 'OK' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { kind, message } = error;
    if (kind === 'network' || kind === 'timeout') return { reachable: false, reason: message };
    const inOrder = isAboutTheRequest(error);
    return { reachable: true, inOrder, key: keyInDoubt(error) ?? (inOrder ? 'accepted' : 'unknown'), answer: message };
  }
}

function keyInDoubt(error: GatewayError): 'refused' | 'doubted' | undefined {
  const refusal = readRefusal(error);
  if (refusal === 'key') return 'refused';
  return refusal === 'key or owner' ? 'doubted' : undefined;
}
