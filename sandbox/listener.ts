import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Delay before the listener tries the port again if another process took the port during a pause. */
const PORT_RETRY_MS = 100;

/** A server's listening socket, which can close for a while. */
export interface Listener {
  readonly port: number;
  isOpen(): boolean;
  /** Refuses new connections for some seconds. Requests in progress are still answered. */
  pause(seconds: number): void;
  /** Stops listening for good and drops every connection. */
  close(): Promise<void>;
}

/** @throws an error with code EADDRINUSE if the port is taken. */
export async function openListener(server: Server, port: number, host: string): Promise<Listener> {
  server.listen(port, host);
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  let timer: NodeJS.Timeout | undefined;

  function reopenIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!server.listening) server.listen(ownPort, host);
    }, ms);
  }
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    reopenIn(PORT_RETRY_MS);
  });

  return {
    port: ownPort,
    isOpen: () => server.listening,
    pause(seconds) {
      if (server.listening) server.close();
      reopenIn(seconds * 1000);
    },
    async close() {
      clearTimeout(timer);
      const closed = server.listening ? once(server, 'close') : undefined;
      if (server.listening) server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
