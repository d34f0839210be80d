import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign to connections, so that no connection takes a port while its owner is down. */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;

/** @returns an unused port of 127.0.0.1, to which a program can return after it was down. */
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
