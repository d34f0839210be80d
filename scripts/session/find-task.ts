import { type FindTask } from '../../client/records/decide-in-ledger';
import { Refused } from '../../client/wording/refused';
import { type Config } from '../../workers/config/config';

/** The gateway that the session's tasks go to. The key must only reach the gateway client. */
export interface SessionGateway {
  readonly url: string;
  readonly key: string;
  readonly plainHttpHosts: readonly string[];
}

/**
 * The configured gateway, or else the embedded sandbox.
 *
 * @throws Refused if there is neither: workers elsewhere have a gateway that this command was not given.
 */
export function gatewayOf({ gateway }: Pick<Config, 'gateway'>, set: SetGateway): SessionGateway {
  if (gateway !== null) return { ...gateway, key: gateway.key.reveal() };
  if (set === null) throw new Refused(NO_GATEWAY);
  return { url: set.gatewayUrl, key: set.sandboxKey ?? '', plainHttpHosts: [] };
}

/** Why the gateway cannot be asked if TEMPORAL_ADDRESS is set alone. */
export const NO_GATEWAY =
  'this command asks the gateway itself, and none is configured; set DAILIES_GATEWAY_URL and DAILIES_GATEWAY_KEY ' +
  'as the workers have them';

type SetGateway = { readonly gatewayUrl: string; readonly sandboxKey: string | null } | null;

/**
 * Returns a function that looks for tasks at the configured gateway, or else at the embedded sandbox.
 *
 * The function loads the gateway client on its first call, since loading takes a fifth of the time of a command such as
 * `status`.
 */
export function taskFinder(config: Pick<Config, 'gateway'>, set: SetGateway): FindTask {
  return async (taskId, model) => {
    const { url, key, plainHttpHosts } = gatewayOf(config, set);
    const { createGatewayClient, GatewayError, readRefusal } = await import('../../gateway/index.js');
    const client = createGatewayClient({ baseUrl: url, apiKey: key, plainHttpHosts });
    try {
      const reading = await client.read({ taskId, model });
      return { model: reading.state === 'completed' ? reading.result.model : null };
    } catch (error) {
      if (error instanceof GatewayError && readRefusal(error) === 'no such task') return 'unknown';
      throw error;
    } finally {
      await client.close();
    }
  };
}
