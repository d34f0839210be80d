import { createGatewayClient, type GatewayClient, type GatewayClientOptions, GatewayError } from '../../gateway';
import { FIRST_TASK } from './first-task';

/** How the gateway answered something that it could not grant. */
export interface Refusal {
  readonly asked: string;
  /** Status and the beginning of the body, without secrets. */
  readonly answer: string;
}

export type GatewayAddress = Pick<GatewayClientOptions, 'baseUrl' | 'plainHttpHosts'>;

/** A well-formed task id and a key that no gateway has given out. */
const NO_TASK = 'dailies-reads-no-task';
const NO_KEY = 'a-key-that-nobody-has';

/**
 * Asks for what the gateway has to refuse, to see how it does.
 *
 * Reads only. A submit with wrong input would show more, and a gateway that mends the input, as a length out of bounds,
 * would charge for it.
 */
export async function refusedReads(gateway: GatewayClient, at: GatewayAddress): Promise<readonly Refusal[]> {
  const stranger = createGatewayClient({ ...at, apiKey: NO_KEY });
  try {
    return [
      await refusalOf('a read of a task that nobody has', gateway),
      await refusalOf('a read with a key that nobody has', stranger),
    ];
  } finally {
    await stranger.close();
  }
}

export function refusal(asked: string, { message, body }: GatewayError): Refusal {
  return { asked, answer: body === '' ? message : `${message}: ${body}` };
}

async function refusalOf(asked: string, gateway: GatewayClient): Promise<Refusal> {
  try {
    const { state } = await gateway.read({ taskId: NO_TASK, model: { id: FIRST_TASK.model } });
    return { asked, answer: `was answered, as a task that is ${state}` };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return refusal(asked, error);
  }
}
