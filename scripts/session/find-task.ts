import { type FindTask } from '../../client/records/decide-in-ledger';
import { type Config } from '../../workers/config/config';

/**
 * Returns a function that looks for tasks at the configured gateway, or else at the embedded sandbox.
 *
 * The function loads the gateway client on its first call, since loading takes a fifth of the time of a command such as
 * `status`.
 */
export function taskFinder(
  { gateway }: Config,
  set: { readonly gatewayUrl: string; readonly sandboxKey: string | null } | null,
): FindTask {
  return async (taskId, model) => {
    const { createGatewayClient, GatewayError, readRefusal } = await import('../../gateway/index.js');
    const client = createGatewayClient({
      baseUrl: gateway?.url ?? set?.gatewayUrl ?? '',
      apiKey: gateway?.key.reveal() ?? set?.sandboxKey ?? '',
      plainHttpHosts: gateway?.plainHttpHosts ?? [],
    });
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
