import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { isLocalHost } from '../contracts/local-host';

/**
 * A proxy that makes Temporal's UI reachable for a person's browser, but not for pages of other origins.
 *
 * The dev server's UI answers any Host and gives its CSRF token to any client. So a web page whose host name resolves
 * to this machine could act in the UI. Therefore the UI listens on a port that browsers refuse, and this proxy answers
 * only requests whose Host is this machine and whose Origin, if any, is the proxy's own.
 */

/**
 * Ports that every browser refuses and that need no privileges. None is in the usual range of ephemeral ports.
 *
 * Source: Fetch standard, "Port blocking".
 */
export const BROWSER_BLOCKED_PORTS = [
  6665, 6666, 6667, 6668, 6669, 6697, 6566, 10080, 5060, 5061, 3659, 4045, 1719, 1720, 1723,
] as const;

export interface GuardedUi {
  readonly port: number;
  close(): void;
}

/**
 * Serves the UI that listens on `uiPort` of 127.0.0.1.
 *
 * @param port the proxy's port; 0 for a free port.
 */
export async function guardUi(uiPort: number, port: number): Promise<GuardedUi> {
  const server = createServer((incoming, outgoing) => {
    const refusal = refusalOf(incoming);
    if (refusal === undefined) forward(incoming, outgoing, uiPort);
    else outgoing.writeHead(403, { 'content-type': 'text/plain' }).end(`${refusal}\n`);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function refusalOf({ headers }: IncomingMessage): string | undefined {
  const { host, origin } = headers;
  if (!isLocalHost(host)) return 'This address answers only to 127.0.0.1 and localhost.';
  // Browsers send an Origin with every request that may change something. A page with an opaque origin sends `null`.
  if (origin !== undefined && origin !== `http://${host ?? ''}`) return 'Pages of other origins are not answered.';
  return undefined;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, uiPort: number): void {
  const { method, url, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port: uiPort, method, path: url, headers });
  onward.once('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    // A browser that disconnects is no error.
    pipeline(answer, outgoing, () => undefined);
  });
  onward.once('error', () => {
    if (!outgoing.headersSent) outgoing.writeHead(502);
    outgoing.end();
  });
  outgoing.once('close', () => onward.destroy());
  incoming.pipe(onward);
}
