import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createGatewayClient, type GatewayClient, type GatewayClientOptions, GatewayError } from '../../gateway';

/** A key that cannot be overlooked in a dump. */
export const KEY = 'key-3f9a/0c+never=shown';
export const BETA = { id: 'beta-2.5' };
export const REQUEST = { model: BETA, parameters: { prompt: 'a lighthouse' } };
export const PAID = { idempotencyKey: 'take-1' };
/** A time limit that immediate answers never reach, even if the machine stalls for a while. */
export const BUSY_MS = 5_000;

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const cleanups: (() => Promise<void> | void)[] = [];

/** Ends every server and client of a test. */
export async function closeAll(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

/** A real HTTP server on a free port, and what it has seen. */
export async function serve(answer: (request: Seen, response: ServerResponse) => void): Promise<{
  url: string;
  host: string;
  seen: Seen[];
}> {
  const seen: Seen[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      answer(seen.at(-1)!, response);
    });
  };
  const server = createServer(listener);
  const host = await listen(server, () => {
    server.closeAllConnections();
  });
  return { url: `http://${host}`, host, seen };
}

/** A TCP server that speaks whatever the test makes it speak. `connections` counts them. */
export async function serveTcp(onSocket: (socket: Socket, number: number) => void): Promise<{
  url: string;
  host: string;
  connections: () => number;
}> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    connections += 1;
    onSocket(socket, connections);
  });
  const host = await listen(server, () => {
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://${host}`, host, connections: () => connections };
}

/** A port at which nobody listens. */
export async function unusedHost(): Promise<string> {
  const server = createTcpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}

export function client(baseUrl: string, options: Partial<GatewayClientOptions> = {}): GatewayClient {
  const made = createGatewayClient({ baseUrl, apiKey: KEY, ...options });
  cleanups.push(() => made.close());
  return made;
}

export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The GatewayError that a call ends in; anything else fails the test. */
export async function errorOf(call: Promise<unknown>): Promise<GatewayError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  if (outcome instanceof GatewayError) return outcome;
  throw new Error('expected a GatewayError', { cause: outcome });
}

async function listen(server: Server, drop: () => void): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    drop();
    server.close();
    await once(server, 'close');
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
