import { GatewayError, type GatewayClient, isAboutTheRequest, readRefusal, submitRefusal } from '../../gateway';

/** Kinds of calls. A key may be allowed to read but not to submit. */
type Calls = 'submits' | 'reads';

/**
 * Wraps the gateway client so that a worker reports a refused key once, not at each attempt. The worker reports again
 * only if the key has worked in between.
 *
 * @param tell receives one line that names the problem and the remedy.
 */
export function tellOfRefusedKey(gateway: GatewayClient, account: string, tell: (line: string) => void): GatewayClient {
  const refused = new Set<Calls>();

  async function watched<T>(calls: Calls, call: () => Promise<T>): Promise<T> {
    try {
      const answer = await call();
      refused.delete(calls);
      return answer;
    } catch (error) {
      if (isKeyRefused(error, calls)) {
        if (refused.size === 0) tell(inWords(error, account, calls));
        refused.add(calls);
      } else if (error instanceof GatewayError && isAboutTheRequest(error) && !mayBeKeyRefused(error, calls)) {
        // Any other error about the request shows that the gateway accepted the key.
        refused.delete(calls);
      }
      throw error;
    }
  }

  return {
    ...gateway,
    submit: (request, options) => watched('submits', () => gateway.submit(request, options)),
    execute: (request, options) => watched('submits', () => gateway.execute(request, options)),
    read: (task, options) => watched('reads', () => gateway.read(task, options)),
  };
}

/** True if the key was refused. A read with 403 does not count, since the task may belong to another account. */
export function isKeyRefused(error: unknown, calls: Calls): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  return calls === 'submits' ? submitRefusal(error) === 'key' : readRefusal(error) === 'key';
}

/** True for a read with 403, which says nothing about the key. */
function mayBeKeyRefused(error: GatewayError, calls: Calls): boolean {
  return calls === 'reads' && readRefusal(error) === 'key or owner';
}

function inWords({ message }: GatewayError, account: string, calls: Calls): string {
  const meanwhile = calls === 'submits' ? 'nothing is sent' : 'no task is read';
  return (
    `the gateway refuses the key of the account "${account}" (${message}): ${meanwhile} until it accepts the key, ` +
    'and nothing is lost. Put the right key into DAILIES_GATEWAY_KEY, or into the file that DAILIES_GATEWAY_KEY_FILE ' +
    'names, and restart the worker'
  );
}
