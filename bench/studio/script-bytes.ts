import { gunzipSync } from 'node:zlib';

/** The script that every page of the studio loads. */
const FIRST = 'studio.js';

const IMPORT = /(?:from|import)\s*\(?\s*["']\.\/([\w.-]+\.js)["']/g;

/**
 * Bytes sent, by name, for `studio.js` and for each script that it imports, directly or indirectly.
 *
 * @param ask requests a path as a browser that accepts gzip, and returns the body without decoding it.
 */
export async function scriptBytes(ask: (path: string) => Promise<Buffer>): Promise<ReadonlyMap<string, number>> {
  const sent = new Map<string, number>();
  const names = [FIRST];
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (sent.has(name)) continue;
    const body = await ask(`/studio/${name}`);
    sent.set(name, body.length);
    for (const [, imported = ''] of textOf(body).matchAll(IMPORT)) names.push(imported);
  }
  return sent;
}

function textOf(body: Buffer): string {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  return (isGzip ? gunzipSync(body) : body).toString('utf8');
}
