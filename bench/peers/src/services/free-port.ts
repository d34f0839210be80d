import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to connections, so that none of these takes a port while its owner is down. */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;

/** @returns a port of 127.0.0.1 that nobody listens on, and that a program can come back to after it was down. */
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
