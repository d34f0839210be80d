import { createGatewayClient, type GatewayClient, type GatewayClientOptions, GatewayError } from '../../gateway';
import { FIRST_TASK } from './first-task';

/** A request that was refused, failed, or should have been refused, and the answer. */
export interface Refusal {
  readonly asked: string;
  /** For example the status and the beginning of the body; without secrets. */
  readonly answer: string;
}

export type GatewayAddress = Pick<GatewayClientOptions, 'baseUrl' | 'plainHttpHosts'>;

/** A well-formed task id and a key that no gateway has issued. */
const NO_TASK = 'dailies-reads-no-task';
const NO_KEY = 'a-key-that-nobody-has';

/**
 * Makes reads that the gateway has to refuse, and reports its answers.
 *
 * Sends no submit. A submit with invalid input, such as a duration out of bounds, would show more. But a gateway that
 * corrects the input would charge for the task.
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
