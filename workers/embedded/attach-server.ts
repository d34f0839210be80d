import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { receive, send, type Hello, type SupervisorMessage } from './messages';
import type { Announcement } from './part-process';
import type { SetIdentity } from './set-plan';

/**
 * The server through which commands attach to the embedded set (Temporal, sandbox and worker).
 *
 * The set runs as long as a command holds it. An attached command holds the set until it leaves or its connection
 * closes, which also happens if it is killed. The command that started the supervisor (the process that runs the set)
 * holds the set through its IPC channel until the command attaches or the channel closes.
 */
export interface AttachServer {
  readonly port: number;
  readonly token: string;
  /** Resolves when no command holds the set any more, or when `shut` is called. After that no command can attach. */
  readonly abandoned: Promise<void>;
  isAbandoned(): boolean;
  broadcast(message: SupervisorMessage): void;
  /** Tells waiting and later commands that the set is running. */
  announce(facts: Announcement): void;
  /** Lets no more commands attach, and resolves `abandoned`. */
  shut(): void;
}

/** Time for a command to introduce itself after it connects. It is long because a machine may be suspended. */
const HELLO_LIMIT_MS = 60_000;

/**
 * Opens the server on a free port of 127.0.0.1.
 *
 * @param starterGone resolves when the IPC channel of the command that started this supervisor closes.
 */
export async function openAttachServer(identity: SetIdentity, starterGone: Promise<void>): Promise<AttachServer> {
  const token = randomBytes(24).toString('base64url');
  const attached = new Set<Socket>();
  let isHeldByStarter = true;
  let ready: SupervisorMessage | undefined;
  let isShut = false;
  let resolveAbandoned: () => void = () => undefined;
  const abandoned = new Promise<void>((resolve) => (resolveAbandoned = resolve));

  const shut = () => {
    isShut = true;
    resolveAbandoned();
  };

  const isHeld = () => isHeldByStarter || attached.size > 0;
  void starterGone.then(() => {
    isHeldByStarter = false;
    if (!isHeld()) shut();
  });

  const admit = (socket: Socket, hello: Hello) => {
    if (!isSame(hello.token, token)) {
      socket.destroy();
    } else if (isShut) {
      refuse(socket, { kind: 'stopping' });
    } else if (!isDeepStrictEqual(hello.identity, identity)) {
      refuse(socket, { kind: 'mismatch', running: identity });
    } else {
      attached.add(socket);
      socket.setTimeout(0);
      if (hello.starter) isHeldByStarter = false;
      if (ready !== undefined) send(socket, ready);
    }
  };

  const leave = (socket: Socket) => {
    if (!attached.delete(socket)) return;
    const stopped = isShut || !isHeld();
    send(socket, { kind: 'left', stopped });
    if (stopped) {
      // The command stays connected to receive notices while the set stops.
      attached.add(socket);
      shut();
    } else {
      socket.end();
    }
  };

  const server = createServer((socket) => {
    // The `close` event that follows handles the error.
    socket.on('error', () => undefined);
    const gone = () => {
      if (attached.delete(socket) && !isHeld()) shut();
    };
    socket.on('end', gone).on('close', gone);
    // A silent connection must not stay open forever.
    socket.setTimeout(HELLO_LIMIT_MS, () => socket.destroy());
    receive(socket, (message) => {
      // Handle closed connections first: otherwise a killed command would still count as attached.
      if (message === 'leave') setImmediate(leave, socket);
      else admit(socket, message as Hello);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  const broadcast = (message: SupervisorMessage) => {
    for (const socket of attached) send(socket, message);
  };
  return {
    port: address.port,
    token,
    abandoned,
    isAbandoned: () => isShut,
    broadcast,
    announce: (facts) => {
      ready = { kind: 'ready', facts };
      broadcast(ready);
    },
    shut,
  };
}

function refuse(socket: Socket, message: SupervisorMessage): void {
  send(socket, message);
  socket.end();
}

/** Compares hashes, because `timingSafeEqual` needs inputs of equal length. */
function isSame(given: unknown, token: string): boolean {
  return typeof given === 'string' && timingSafeEqual(sha256(given), sha256(token));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
