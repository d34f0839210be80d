import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/** One request's connection, and the clock that its answer goes by. */
export interface Wire {
  readonly outgoing: ServerResponse;
  /** Puts that clock ahead, or behind. */
  skew(seconds: number): void;
  /** A moment from now as HTTP writes it, by the same clock as the answer's Date. */
  dateIn(seconds: number): string;
  /** Ends early where the caller leaves. */
  wait(seconds: number): Promise<void>;
  /** Closes the connection without another byte. */
  drop(): Response;
}

/** Takes hold of the connection below a request. */
export function openWire(outgoing: ServerResponse): Wire {
  let skewMs = 0;
  const now = () => Date.now() + skewMs;
  /** Otherwise Node would date the answer by the machine's clock. */
  const stamp = (at: number) => outgoing.setHeader('date', new Date(at).toUTCString());
  return {
    outgoing,
    skew(seconds) {
      skewMs = seconds * 1000;
      stamp(now());
    },
    dateIn(seconds) {
      const at = now();
      stamp(at);
      return new Date(at + seconds * 1000).toUTCString();
    },
    async wait(seconds) {
      const left = new AbortController();
      const leave = () => {
        left.abort();
      };
      outgoing.once('close', leave);
      if (!outgoing.destroyed) await delay(seconds * 1000, undefined, { signal: left.signal }).catch(() => undefined);
      outgoing.off('close', leave);
    },
    drop() {
      outgoing.destroy();
      return RESPONSE_ALREADY_SENT;
    },
  };
}
