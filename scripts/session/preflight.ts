import { Refused } from '../../client/wording/refused';
import { createGatewayClient, type GatewayLook, lookAtGateway } from '../../gateway';
import { type Config, keyWarning } from '../../workers/config/config';
import { tell } from '../process/streams';

class GatewayUnreachable extends Error {
  override readonly name = 'GatewayUnreachable';
}

/** Short, because a person waits for the answer. */
const PREFLIGHT_TIMEOUT_MS = 10_000;

/** The end of a sentence about the gateway. */
export const DOUBT =
  'answers a read of an unknown task with HTTP 403: it hides which tasks exist, or it refuses the key.';

/** Makes one read to learn whether the gateway is reachable and accepts the key. Never spends. */
export async function askGateway({ url, key, plainHttpHosts }: NonNullable<Config['gateway']>): Promise<GatewayLook> {
  const gateway = createGatewayClient({
    baseUrl: url,
    apiKey: key.reveal(),
    plainHttpHosts,
    timeouts: { connectMs: PREFLIGHT_TIMEOUT_MS, readTotalMs: PREFLIGHT_TIMEOUT_MS },
  });
  try {
    return await lookAtGateway(gateway);
  } finally {
    await gateway.close();
  }
}

/**
 * Checks the configured gateway before a render, because a render with an unreachable gateway only waits. Skips the
 * sandbox.
 *
 * @throws GatewayUnreachable; Refused if the gateway refuses the key.
 */
export async function checkGateway(config: Config): Promise<void> {
  const { gateway } = config;
  if (gateway === null) return;
  const warning = keyWarning(config);
  if (warning !== undefined) tell(warning);
  const answer = await askGateway(gateway);
  if (!answer.reachable) {
    throw new GatewayUnreachable(`the gateway cannot be reached at ${gateway.url}: ${answer.reason}`);
  }
  if (answer.key === 'refused') {
    throw new Refused(
      `the gateway at ${gateway.url} refuses the key (HTTP 401); ` +
        'check DAILIES_GATEWAY_KEY or DAILIES_GATEWAY_KEY_FILE',
    );
  }
  if (answer.key === 'doubted') tell(`The gateway at ${gateway.url} ${DOUBT}`);
}
