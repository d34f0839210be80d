import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems give outgoing connections higher ports, so no such connection takes the port of a stopped server. */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;

/** Finds an unused port of 127.0.0.1. A server can use this port again after a restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
