import { GatewayError, type GatewayClient } from '../gateway';

/** Calls whose answers say nothing of each other: a key may read and not submit. */
type Calls = 'submits' | 'reads';

/**
 * The gateway, by which a worker tells once that its key is refused, in place of each attempt of each task; and again
 * only if the key has worked in between.
 *
 * @param tell told in one line what is wrong and what to do.
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
      } else if (isAboutTheRequest(error)) {
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

/** A read that is answered with 403 may be of a task that belongs to somebody else: nothing is wrong with the key. */
export function isKeyRefused(error: unknown, calls: Calls): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  return error.status === 401 || (error.status === 403 && calls === 'submits');
}

/** A gateway that answers so has looked at the key before. */
function isAboutTheRequest(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.kind !== 'response' || error.status === null) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}

function inWords({ message }: GatewayError, account: string, calls: Calls): string {
  const meanwhile = calls === 'submits' ? 'nothing is sent' : 'no task is read';
  return (
    `the gateway refuses the key of the account "${account}" (${message}): ${meanwhile} until it works, and nothing is ` +
    'lost. Put the right key into DAILIES_GATEWAY_KEY, or into the file that DAILIES_GATEWAY_KEY_FILE names, and start ' +
    'the worker anew'
  );
}
