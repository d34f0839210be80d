import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Delay before the listener tries the port again if another process took the port during a pause. */
const PORT_RETRY_MS = 100;

/** A server's listening socket, which can close for a while. */
export interface Listener {
  readonly port: number;
  isOpen(): boolean;
  /** Refuses new connections for this many seconds. Requests in progress are still answered. */
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
  let isToListen = true;
  /** True from `listen` until the server listens or fails. `server.close` does nothing in this time. */
  let isOpening = false;

  function reopenIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      isToListen = true;
      if (server.listening || isOpening) return;
      isOpening = true;
      server.listen(ownPort, host);
    }, ms);
  }
  function stopListening(): void {
    isToListen = false;
    clearTimeout(timer);
    if (server.listening) server.close();
  }
  server.on('listening', () => {
    isOpening = false;
    if (!isToListen) server.close();
  });
  server.on('error', (error: NodeJS.ErrnoException) => {
    isOpening = false;
    if (error.code !== 'EADDRINUSE') throw error;
    if (isToListen) reopenIn(PORT_RETRY_MS);
  });

  return {
    port: ownPort,
    isOpen: () => server.listening,
    pause(seconds) {
      stopListening();
      reopenIn(seconds * 1000);
    },
    async close() {
      // `once` rejects if the port was taken meanwhile. Then nothing listens either.
      const closed = server.listening || isOpening ? once(server, 'close').catch(() => undefined) : undefined;
      stopListening();
      server.closeAllConnections();
      await closed;
    },
  };
}
