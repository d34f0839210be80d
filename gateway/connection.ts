import { Agent, buildConnector, Client, type Dispatcher } from 'undici';

/** A failure of name, connection or TLS: it lies before the first byte of a request. */
export class ConnectError extends Error {
  readonly code: string;
  readonly timedOut: boolean;

  constructor(cause: Error) {
    const code = codeOf(cause);
    super(cause.message);
    this.code = code;
    this.timedOut = code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT';
  }
}

/** Where one call runs. */
export interface Lane {
  readonly dispatcher: Dispatcher;
  /** Whether the whole request may have left by now. Half a request is one that no gateway can accept. */
  readonly mayBeSent: () => boolean;
  readonly release: () => void;
}

export interface Connections {
  /** Kept-alive connections, for reads: a stale one costs a read that is repeated anyway. */
  readonly shared: () => Lane;
  /** A connection for one call alone, for calls that cost money. */
  readonly own: (bodyBytes: number) => Lane;
  readonly close: () => Promise<void>;
}

/**
 * Opens connections to one origin.
 *
 * A request that is written to a kept-alive connection just as the server closes it is reset, and nobody can say whether
 * it was taken. So a paid call never reuses a connection: measured against a server that drops each connection on its
 * second request, 50 of 50 submits after a read were reset on shared connections and none on connections of their own;
 * the price is one handshake, 1 ms on this side and a round trip or three, beside minutes of rendering.
 */
export function createConnections(origin: string, connectMs: number): Connections {
  const connect = buildConnector({ timeout: connectMs });
  const agent = new Agent({ connect: markFailures(connect) });
  const clients = new Set<Client>();
  let closing: Promise<unknown> | undefined;
  return {
    shared: () => ({ dispatcher: agent, mayBeSent: () => true, release: () => undefined }),
    own(bodyBytes) {
      let connected = false;
      let mayBeSent = false;
      const client = new Client(origin, {
        pipelining: 0,
        connect: markFailures((options, callback) => {
          if (connected) {
            // One attempt, whatever the library thinks of the request: a second connection would be a second submit.
            callback(new Error('the connection was closed'), null);
            return;
          }
          connect(options, (...outcome) => {
            const [error, socket] = outcome;
            if (error === null) {
              connected = true;
              // A body that the socket has to hold back is out at its first drain; a smaller one may be out at once.
              mayBeSent = bodyBytes < socket.writableHighWaterMark;
              socket.once('drain', () => (mayBeSent = true));
            }
            callback(...outcome);
          });
        }),
      });
      clients.add(client);
      const release = () => {
        clients.delete(client);
        // Not awaited: it would wait for a connection that is still being tried, and then drop it.
        void client.destroy();
      };
      return { dispatcher: client, mayBeSent: () => mayBeSent, release };
    },
    async close() {
      closing ??= Promise.all([agent.close(), ...[...clients].map((client) => client.close())]);
      await closing;
    },
  };
}

/** The code of a network error, of the first one where several addresses were tried. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf((error.errors as unknown[])[0]);
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown reason';
}

function markFailures(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (error, socket) => {
      if (error === null) callback(null, socket);
      else callback(new ConnectError(error), null);
    });
  };
}
