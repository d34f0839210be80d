import { Readable } from 'node:stream';
import { type Context } from 'hono';
import { byteRangeOf } from '../../contracts/byte-range';
import { type Store } from '../../store';

/** Media types that are safe to show in the browser, by the extension in an asset's address. */
const TYPES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  txt: 'text/plain; charset=utf-8',
};

const EXTENSIONS = new Map(Object.entries(TYPES).map(([extension, type]) => [type.split(';')[0], extension]));

/** Address of an asset in the studio. An asset whose type is not in `TYPES` is a download. */
export function assetAddress({ sha256, mediaType }: { readonly sha256: string; readonly mediaType: string }): string {
  return `/assets/${sha256}.${EXTENSIONS.get(mediaType) ?? 'bin'}`;
}

/** Serves an asset by its hash, whole or one range of it (RFC 9110, section 14). */
export async function serveAsset(c: Context, store: Pick<Store, 'assets'>): Promise<Response> {
  const [, sha256, extension = ''] = /^([0-9a-f]{64})\.([a-z0-9]{1,5})$/.exec(c.req.param('name') ?? '') ?? [];
  const sizeBytes = sha256 === undefined ? null : await store.assets.sizeOf({ sha256 });
  if (sha256 === undefined || sizeBytes === null) return c.text('There is no such asset.\n', 404);
  const headers = new Headers({
    'accept-ranges': 'bytes',
    // An asset never changes. Shared caches must not keep it.
    'cache-control': 'private, max-age=31536000, immutable',
    'content-type': TYPES[extension] ?? 'application/octet-stream',
    etag: `"${sha256}"`,
  });
  const name = c.req.query('download');
  if (name !== undefined || TYPES[extension] === undefined) {
    headers.set('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name ?? sha256)}`);
  }
  if (c.req.header('if-none-match') === `"${sha256}"`) return new Response(null, { status: 304, headers });
  const range = byteRangeOf(c.req.header('range'), sizeBytes);
  if (range === 'unsatisfiable') {
    headers.set('content-range', `bytes */${sizeBytes}`);
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  headers.set('content-length', String(end - start + 1));
  if (range !== undefined) headers.set('content-range', `bytes ${start}-${end}/${sizeBytes}`);
  // An empty asset has no range that could be read.
  const hasNoBody = c.req.method === 'HEAD' || sizeBytes === 0;
  const body = hasNoBody ? null : (Readable.toWeb(store.assets.open({ sha256 }, { start, end })) as ReadableStream);
  return new Response(body, { status: range === undefined ? 200 : 206, headers });
}
