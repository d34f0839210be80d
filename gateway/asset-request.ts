import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type LookupFunction } from 'node:net';

/** No byte came within the limit, or too few. Its message says what the answer did. */
export class Stalled extends Error {
  override readonly name = 'Stalled';

  constructor(what = 'stopped moving') {
    super(what);
  }
}

/** How much is to come in how much time. */
export interface Pace {
  readonly bytes: number;
  readonly windowMs: number;
}

export interface AssetRequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly lookup: LookupFunction;
  readonly connectMs: number;
  /** From the connection to the answer's headers. */
  readonly stallMs: number;
  readonly signal: AbortSignal | undefined;
  /** Posted. Absent: a GET. */
  readonly body?: string;
}

/**
 * Sends one request on a connection of its own and resolves with the answer's headers; its body waits to be read.
 *
 * By Node's own client: undici 7 takes the whole process down when a server closes the connection while the reader of
 * a body is behind, as the writing of a large clip always is (nodejs/undici#5360, mended in 8, which needs Node 22).
 *
 * @throws Stalled, and the system's errors.
 */
export function requestAsset(url: URL, options: AssetRequestOptions): Promise<IncomingMessage> {
  const { headers, lookup, connectMs, stallMs, signal, body } = options;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const request = send(url, { method, agent: false, headers, lookup, ...(signal === undefined ? {} : { signal }) });
    let timer = setTimeout(() => request.destroy(new Error('no connection in time')), connectMs);
    request.once('socket', (socket) => {
      socket.once('connect', () => {
        clearTimeout(timer);
        timer = setTimeout(() => request.destroy(new Stalled()), stallMs);
      });
    });
    request.once('response', (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    request.on('error', reject);
    // Also the only event where a server wants to switch protocols.
    request.once('close', () => {
      clearTimeout(timer);
      reject(new Error('closed without an answer'));
    });
    request.end(body);
  });
}

/**
 * The chunks of a body. Both limits count only while the reader waits, so that a slow reader is no stall.
 *
 * @param pace the least of each window, one after the other. The last one ends with the body, and may have less.
 */
export async function* chunksOf(body: IncomingMessage, stallMs: number, pace?: Pace): AsyncGenerator<Buffer> {
  const arm = (): NodeJS.Timeout => setTimeout(() => body.destroy(new Stalled()), stallMs);
  let timer = arm();
  let [waitedMs, cameBytes] = [0, 0];
  let waitingSince = performance.now();
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      waitedMs += performance.now() - waitingSince;
      cameBytes += chunk.length;
      if (pace !== undefined && waitedMs >= pace.windowMs) {
        if (cameBytes < pace.bytes && !body.complete) {
          yield chunk;
          throw new Stalled(`is too slow: ${cameBytes} bytes in ${Math.round(waitedMs / 1_000)} s`);
        }
        [waitedMs, cameBytes] = [0, 0];
      }
      yield chunk;
      timer = arm();
      waitingSince = performance.now();
    }
  } finally {
    clearTimeout(timer);
  }
}
