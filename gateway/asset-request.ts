import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type LookupFunction } from 'node:net';

/** No bytes, or too few, came within a time limit. The message says which. */
export class Stalled extends Error {
  override readonly name = 'Stalled';

  constructor(what = 'sent nothing within the time limit') {
    super(what);
  }
}

/** Least number of bytes per time window. */
export interface Pace {
  readonly bytes: number;
  readonly windowMs: number;
}

export interface AssetRequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly lookup: LookupFunction;
  readonly connectMs: number;
  /** Longest time from the connection to the answer's headers. */
  readonly stallMs: number;
  readonly signal: AbortSignal | undefined;
  /** Present: a POST with this body. Absent: a GET. */
  readonly body?: string;
}

/**
 * Sends one request on its own connection, and resolves with the answer's headers. The body is not read yet.
 *
 * Uses Node's own client, because undici 7 crashes the process if a server closes the connection while the body's
 * reader is behind, as is usual with a large clip. undici 8 is fixed, but needs Node 22 (nodejs/undici#5360).
 *
 * @throws ETIMEDOUT if there is no connection in time; Stalled if there are no headers in time; ECONNRESET if the
 *   connection closes without an answer; errors of `lookup`, of the system and of an abort.
 */
export function requestAsset(url: URL, options: AssetRequestOptions): Promise<IncomingMessage> {
  const { headers, lookup, connectMs, stallMs, signal, body } = options;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const request = send(url, { method, agent: false, headers, lookup, ...(signal === undefined ? {} : { signal }) });
    let timer = setTimeout(() => request.destroy(coded('ETIMEDOUT', 'no connection in time')), connectMs);
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
    // If the server switches protocols, Node emits only this event.
    request.once('close', () => {
      clearTimeout(timer);
      reject(coded('ECONNRESET', 'closed without an answer'));
    });
    request.end(body);
  });
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/**
 * The chunks of a body. `stallMs` and `pace` count only the time in which the reader waits for bytes: a slow reader
 * causes no stall.
 *
 * @param pace least number of bytes in each of successive windows. The last window ends with the body, and may have
 *   fewer.
 * @throws Stalled; errors of the body.
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
