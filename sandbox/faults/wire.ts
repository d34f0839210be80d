import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/** The connection of one request, and the clock for the dates in its answer. */
export interface Wire {
  readonly outgoing: ServerResponse;
  /** Sets the clock ahead; negative seconds set it back. */
  skew(seconds: number): void;
  /** The time `seconds` from now in HTTP's date format, by the same clock as the answer's Date header. */
  dateIn(seconds: number): string;
  /** Waits; ends early if the caller closes the connection. */
  wait(seconds: number): Promise<void>;
  /** Closes the connection without another byte. */
  drop(): Response;
}

export function openWire(outgoing: ServerResponse): Wire {
  let skewMs = 0;
  const now = () => Date.now() + skewMs;
  /** Sets the Date header; otherwise Node sets it by the machine's clock. */
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
      const closed = new AbortController();
      const onClose = () => {
        closed.abort();
      };
      outgoing.once('close', onClose);
      if (!outgoing.destroyed) await delay(seconds * 1000, undefined, { signal: closed.signal }).catch(() => undefined);
      outgoing.off('close', onClose);
    },
    drop() {
      outgoing.destroy();
      return RESPONSE_ALREADY_SENT;
    },
  };
}
