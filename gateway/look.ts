import { KNOWN_MODELS } from '../contracts/models';
import { type GatewayClient } from './client';
import { GatewayError } from './errors';

/** A task that no gateway has: reading it shows whether the gateway answers and takes the key, and costs nothing. */
const NO_TASK = 'dailies-reads-no-task';

/** How the gateway answers a read. Any answer but 5xx and 429 shows that it works, a 404 too. */
export type GatewayLook =
  | { readonly answers: true; readonly keyAccepted: boolean; readonly status: number | null }
  | { readonly answers: false; readonly reason: string };

/** Reads from the gateway once, to learn whether it is in good order and takes the key. Never spends. */
export async function lookAtGateway(gateway: GatewayClient): Promise<GatewayLook> {
  try {
    await gateway.read({ taskId: NO_TASK, model: { id: KNOWN_MODELS[0]?.id ?? '' } });
    return { answers: true, keyAccepted: true, status: null };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { status, message } = error;
    if (status === null || status >= 500 || status === 429) return { answers: false, reason: message };
    return { answers: true, keyAccepted: status !== 401 && status !== 403, status };
  }
}
