import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Points on the wire between a worker and the gateway, in the order of the work. */
export const WIRE_POINTS = [
  /** Half of the body of a submit or execute has reached the gateway. */
  'bytes-half-sent',
  /** The gateway has answered the submit or execute; the worker has read nothing of the answer. */
  'accepted-unread',
  /** The submit is over. The worker has sent a request for a result, which has not reached the gateway. */
  'after-answer',
  /** Half of a clip has reached the worker. */
  'download-half',
] as const;
export type WirePoint = (typeof WIRE_POINTS)[number];

/** A TCP proxy between a worker and its gateway. */
export interface Wire {
  /** The gateway's URL for the worker. */
  readonly url: string;
  /** Resolves at the first connection. */
  readonly used: Promise<void>;
  /** When the point is next reached, stops passing bytes, calls `strike`, and closes the connection on both sides. */
  arm(point: WirePoint, strike: () => void): void;
  /** Breaks all open connections, and accepts new connections. */
  cut(): void;
  /** Breaks all open connections, and refuses new connections until `mend`. */
  sever(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a proxy to a gateway on this machine. The proxy passes bytes unchanged, so the gateway's faults pass too. */
export async function openWire(gatewayUrl: string): Promise<Wire> {
  const { hostname, port } = new URL(gatewayUrl);
  const armed = new Map<WirePoint, () => void>();
  const sockets = new Set<Socket>();

  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('end', () => other.end());
      socket.once('error', () => other.destroy());
      socket.once('close', () => {
        sockets.delete(socket);
        // `other` is not destroyed, because data may still be on its way out.
        other.end();
      });
    }
    passThrough(near, far, armed);
  });
  const used = once(server, 'connection').then(() => undefined);
  await listen(server, 0);
  const { port: ownPort } = server.address() as AddressInfo;

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  async function sever(): Promise<void> {
    if (!server.listening) return;
    cut();
    server.close();
    await once(server, 'close');
  }

  return {
    url: `http://127.0.0.1:${ownPort}`,
    used,
    arm: (point, strike) => armed.set(point, strike),
    cut,
    sever,
    mend: () => listen(server, ownPort),
    close: sever,
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/** A message in progress. `half` is the number of bytes from the start of the head to the middle of the body. */
interface Message {
  readonly line: string;
  readonly half: number;
  passed: number;
}

function passThrough(near: Socket, far: Socket, armed: Map<WirePoint, () => void>): void {
  let request: Message | undefined;
  let answer: Message | undefined;

  /**
   * Strikes if the point is armed: sends the last bytes, calls the strike when the bytes have left this process, and
   * closes both connections.
   *
   * @returns whether the point was armed.
   */
  function strikeAt(point: WirePoint, to: Socket, lastBytes: Buffer): boolean {
    const strike = armed.get(point);
    if (strike === undefined) return false;
    armed.delete(point);
    near.removeAllListeners('data').pause();
    far.removeAllListeners('data').pause();
    to.write(lastBytes, () => {
      strike();
      // A gateway with half of a request must see that no more will come.
      near.destroy();
      far.destroy();
    });
    return true;
  }

  near.on('data', (chunk: Buffer) => {
    const begun = messageIn(chunk, /^(?:POST|GET) /);
    if (begun !== undefined) {
      request = begun;
      answer = undefined;
    }
    if (isRead(request) && begun !== undefined && strikeAt('after-answer', far, Buffer.alloc(0))) return;
    if (isSubmit(request)) {
      const untilHalf = request.half - request.passed;
      if (untilHalf <= chunk.length && strikeAt('bytes-half-sent', far, chunk.subarray(0, untilHalf))) return;
    }
    if (request !== undefined) request.passed += chunk.length;
    far.write(chunk);
  });

  far.on('data', (chunk: Buffer) => {
    if (isSubmit(request) && strikeAt('accepted-unread', near, Buffer.alloc(0))) return;
    answer ??= messageIn(chunk, /^HTTP\/1\.1 /);
    if (isDownload(request) && answer !== undefined) {
      const untilHalf = answer.half - answer.passed;
      if (untilHalf <= chunk.length && strikeAt('download-half', near, chunk.subarray(0, untilHalf))) return;
      answer.passed += chunk.length;
    }
    near.write(chunk);
  });
}

/**
 * The message that a chunk begins; undefined if the chunk continues a message. Client and gateway write a head in one
 * chunk, and never two messages at once.
 */
function messageIn(chunk: Buffer, beginning: RegExp): Message | undefined {
  const head = chunk.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
  if (!beginning.test(head)) return undefined;
  const bodyBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const half = head.length + '\r\n\r\n'.length + Math.floor(bodyBytes / 2);
  return { line: head.split('\r\n', 1)[0] ?? '', half, passed: 0 };
}

function isSubmit(request: Message | undefined): request is Message {
  return request !== undefined && /^POST \S*\/(?:submit|execute) /.test(request.line);
}

function isRead(request: Message | undefined): request is Message {
  return request !== undefined && /^GET \S*\/result /.test(request.line);
}

function isDownload(request: Message | undefined): request is Message {
  return request !== undefined && /^GET \/files\//.test(request.line);
}
