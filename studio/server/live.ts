import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Context } from 'hono';
import { streamSSE } from 'hono/streaming';

/** Pause between two reads of a page's version. A film's change should show within a second, reload included. */
const LOOK_EVERY_MS = 500;

/** Many proxies close a stream that is silent for a minute. */
const SILENT_AT_MOST_MS = 20_000;

/** A short hash of a page's version, for the page's markup and events. */
export function shortVersion(version: string): string {
  return createHash('sha256').update(version).digest('base64url').slice(0, 16);
}

/** Sends the version's hash at once and after each change, until the browser disconnects. */
export function streamChanges(c: Context, version: () => Promise<string>): Response {
  return streamSSE(c, async (stream) => {
    let last: string | undefined;
    let spokeAtMs = 0;
    while (!stream.aborted && !stream.closed) {
      // If the version cannot be read, the page stays as it is.
      const now = await version().then(shortVersion, () => last);
      if (now !== undefined && now !== last) {
        await stream.writeSSE({ event: 'version', data: now });
        spokeAtMs = Date.now();
      } else if (Date.now() - spokeAtMs > SILENT_AT_MOST_MS) {
        await stream.writeSSE({ event: 'still', data: '' });
        spokeAtMs = Date.now();
      }
      last = now;
      await delay(LOOK_EVERY_MS);
    }
  });
}
