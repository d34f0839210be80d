import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Download, DownloadError, type DownloadPolicy, type DownloadRequest, openDownload } from '../../gateway';
import { isPublic } from '../../gateway/address-guard';
import { BUSY_MS, closeAll, KEY, serve, serveTcp, unusedHost } from './servers';

afterEach(closeAll);

const CLIP = randomBytes(300_000);
const MAX_BYTES = 1_000_000;

const policyFor = (...hosts: string[]): DownloadPolicy => ({ allowedPrivateHosts: hosts, maxBytes: MAX_BYTES });

const local = (request: DownloadRequest, { stallMs, signal }: { stallMs?: number; signal?: AbortSignal } = {}) =>
  openDownload(request, {
    policy: { ...policyFor(new URL(request.url).host), ...(stallMs !== undefined && { stallMs }) },
    ...(signal && { signal }),
  });

async function bytesOf({ body }: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The DownloadError of opening, or of reading to the end. */
async function errorOf(download: Promise<Download>): Promise<DownloadError> {
  const outcome = await download.then(bytesOf).catch((error: unknown) => error);
  if (outcome instanceof DownloadError) return outcome;
  throw new Error('expected a DownloadError', { cause: outcome });
}

const serveClip = () =>
  serve(({ headers }, response) => {
    const etag = '"clip-1"';
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const isWhole = headers.range === undefined || (headers['if-range'] ?? etag) !== etag;
    const lastModified = 'Fri, 20 Nov 2026 10:00:00 GMT';
    const common = { etag, 'last-modified': lastModified, 'content-type': 'Video/MP4; codecs="avc1"' };
    if (isWhole) {
      response.writeHead(200, { ...common, 'content-length': CLIP.length }).end(CLIP);
    } else if (from >= CLIP.length) {
      response.writeHead(416, { 'content-range': `bytes */${CLIP.length}` }).end();
    } else {
      const contentRange = `bytes ${from}-${CLIP.length - 1}/${CLIP.length}`;
      response.writeHead(206, { ...common, 'content-range': contentRange }).end(CLIP.subarray(from));
    }
  });

describe('a download', () => {
  it('returns the bytes and what is known of them, and requests them unencoded', async () => {
    const { url, seen } = await serveClip();
    const download = await local({ url: `${url}/clip.mp4?sig=1` });
    expect(download).toMatchObject({
      status: 200,
      totalBytes: CLIP.length,
      etag: '"clip-1"',
      lastModified: 'Fri, 20 Nov 2026 10:00:00 GMT',
      mediaType: 'video/mp4',
    });
    expect(sha(await bytesOf(download))).toBe(sha(CLIP));
    expect(seen[0]).toMatchObject({ path: '/clip.mp4?sig=1', headers: { 'accept-encoding': 'identity' } });
  });

  it('never carries a key or a range that was not asked for', async () => {
    const { url, seen } = await serveClip();
    await bytesOf(await local({ url, fromByte: 0, ifRange: '"clip-1"' }));
    expect(Object.keys(seen[0]!.headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host']);
    expect(JSON.stringify(seen)).not.toContain(KEY);
  });

  it('knows no size if the server reports none', async () => {
    const { url } = await serve((_, response) => {
      response.write(CLIP.subarray(0, 10));
      response.end(CLIP.subarray(10));
    });
    const download = await local({ url });
    expect(download).toMatchObject({ totalBytes: null, etag: null, lastModified: null, mediaType: null });
    expect(sha(await bytesOf(download))).toBe(sha(CLIP));
  });

  it('can be dropped unread, and closes its connection', async () => {
    let closed: (() => void) | undefined;
    const dropped = new Promise<void>((resolve) => (closed = resolve));
    const { url } = await serve((_, response) => {
      response.on('close', () => closed?.());
      response.writeHead(200, { 'content-length': 10 }).flushHeaders();
    });
    const { body } = await local({ url });
    body.destroy();
    await dropped;
  });

  it('ends with the reason of the signal, before, during and after the connection', async () => {
    const reason = new Error('cancelled');
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half');
    });
    await expect(local({ url }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const caller = new AbortController();
    const { host } = await serveTcp((socket) =>
      socket.once('data', () => {
        caller.abort(reason);
      }),
    );
    await expect(local({ url: `https://${host}` }, { signal: caller.signal })).rejects.toBe(reason);
    const later = new AbortController();
    const download = await local({ url }, { signal: later.signal });
    const reading = bytesOf(download);
    later.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});

describe('a continued download', () => {
  it('returns the rest from where it stopped', async () => {
    const { url, seen } = await serveClip();
    const download = await local({ url, fromByte: 100_000, ifRange: '"clip-1"' });
    expect(download).toMatchObject({ status: 206, totalBytes: CLIP.length, etag: '"clip-1"' });
    expect(sha(await bytesOf(download))).toBe(sha(CLIP.subarray(100_000)));
    expect(seen[0]!.headers).toMatchObject({ range: 'bytes=100000-', 'if-range': '"clip-1"' });
  });

  it('comes from the start, with status 200, when the asset is another one by now', async () => {
    const { url } = await serveClip();
    const download = await local({ url, fromByte: 100_000, ifRange: '"clip-0"' });
    expect(download).toMatchObject({ status: 200, totalBytes: CLIP.length });
    expect(sha(await bytesOf(download))).toBe(sha(CLIP));
  });

  it('comes from the start, with status 200, when the server knows no ranges', async () => {
    const { url } = await serve((_, response) => {
      response.end(CLIP);
    });
    const download = await local({ url, fromByte: 100_000 });
    expect(download).toMatchObject({ status: 200, totalBytes: CLIP.length });
    expect(sha(await bytesOf(download))).toBe(sha(CLIP));
  });

  it.each<[string, Record<string, string>]>([
    ['at another place', { 'content-range': 'bytes 0-9/20' }],
    ['without saying where', {}],
    ['in words of its own', { 'content-range': 'bytes ten-end/20' }],
    ['with another asset, taking no heed of If-Range', { 'content-range': 'bytes 10-19/20', etag: '"clip-2"' }],
    ['without an ETag', { 'content-range': 'bytes 10-19/20' }],
    ['with a weak ETag', { 'content-range': 'bytes 10-19/20', etag: 'W/"clip-1"' }],
  ])('asks to start over when the server continues %s', async (_, headers) => {
    const { url } = await serve((_request, response) => {
      response.writeHead(206, headers).end('0123456789');
    });
    const error = await errorOf(local({ url, fromByte: 10, ifRange: '"clip-1"' }));
    expect(error).toMatchObject({ kind: 'restart', status: 206 });
  });

  it('is no asset if it is a part and none was asked for; asks to start over if there is nothing left', async () => {
    const part = await serve((_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-9/20' }).end('0123456789');
    });
    expect(await errorOf(local({ url: part.url }))).toMatchObject({ kind: 'status', status: 206 });
    const { url } = await serveClip();
    expect(await errorOf(local({ url, fromByte: CLIP.length }))).toMatchObject({ kind: 'restart', status: 416 });
  });

  it('is truncated when it stops before the end of the whole', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 10-14/20' }).end('01234');
    });
    expect(await errorOf(local({ url, fromByte: 10 }))).toMatchObject({ kind: 'truncated' });
  });
});

describe('a download that does not arrive', () => {
  it.each([204, 304, 401, 403, 404, 410, 416, 500, 503])('has the status %i', async (status) => {
    const { url } = await serve((_, response) => {
      response.writeHead(status).end();
    });
    expect(await errorOf(local({ url }))).toMatchObject({ kind: 'status', status });
  });

  it.each(['', 'Identity'])('is read if its content-encoding is %p, which is none', async (encoding) => {
    const { url } = await serve(
      (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(CLIP),
    );
    expect(await bytesOf(await local({ url }))).toEqual(CLIP);
  });

  it('is refused if it has an encoding that was not requested', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(CLIP));
    });
    expect(await errorOf(local({ url }))).toMatchObject({ kind: 'status', status: 200 });
  });

  it.each<[string, DownloadError['kind'], (socket: Socket) => void]>([
    ['closed before its length', 'truncated', cut('content-length: 100\r\n', (socket) => socket.end())],
    [
      'closed before its length, announcing the close',
      'truncated',
      cut('connection: close\r\ncontent-length: 100\r\n', (socket) => socket.end()),
    ],
    [
      'closed between two chunks',
      'truncated',
      cut('connection: close\r\ntransfer-encoding: chunked\r\n', (socket) => socket.end(), '4\r\nhalf\r\n'),
    ],
    [
      'closed within a chunk',
      'truncated',
      cut('transfer-encoding: chunked\r\n', (socket) => socket.end(), '9\r\nhalf'),
    ],
    ['reset', 'truncated', cut('content-length: 100\r\n', (socket) => socket.resetAndDestroy())],
    ['silent in the middle', 'stalled', cut('content-length: 100\r\n', () => undefined)],
    ['silent from the start', 'stalled', () => undefined],
    ['reset before an answer', 'network', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['closed before an answer', 'network', (socket) => socket.once('data', () => socket.end())],
    [
      'a switch to another protocol',
      'network',
      (socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')),
    ],
    ['no HTTP', 'network', (socket) => socket.once('data', () => socket.end('SSH-2.0\r\n'))],
  ])('is an error when it is %s', async (_, kind, behave) => {
    const { url } = await serveTcp(behave);
    expect(await errorOf(local({ url }, kind === 'stalled' ? { stallMs: 300 } : {}))).toMatchObject({ kind });
  });

  it('is no stall while bytes keep coming, however slowly', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 24 });
      drip(response, 24, 250);
    });
    expect((await bytesOf(await local({ url }, { stallMs: BUSY_MS }))).length).toBe(24);
  });

  it('is no stall while the reader is slow', async () => {
    const { url } = await serveClip();
    const { body } = await local({ url }, { stallMs: BUSY_MS });
    let sizeBytes = 0;
    for await (const chunk of body) {
      if (sizeBytes === 0) await new Promise((resolve) => setTimeout(resolve, BUSY_MS + 500));
      sizeBytes += (chunk as Buffer).length;
    }
    expect(sizeBytes).toBe(CLIP.length);
  });

  it('survives a server that closes before the caller has read everything', async () => {
    const sizeBytes = 64 * 1024;
    const { url } = await serveTcp((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${sizeBytes}\r\n\r\n`);
        socket.end(Buffer.alloc(sizeBytes));
      });
    });
    const download = await local({ url });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await bytesOf(download)).length).toBe(sizeBytes);
  });

  it('is a network error when nothing listens', async () => {
    expect(await errorOf(local({ url: `http://${await unusedHost()}/x` }))).toMatchObject({ kind: 'network' });
    expect(await errorOf(local({ url: 'http://cdn.invalid/x' }))).toMatchObject({ kind: 'network' });
  });

  it('is too large when it says so, before a byte is read', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': MAX_BYTES + 1 }).flushHeaders();
    });
    await expect(local({ url })).rejects.toMatchObject({ kind: 'too-large' });
  });

  it('is too large when it says nothing and does not end', async () => {
    const { url } = await serve((_, response) => {
      const flood = setInterval(() => response.write(CLIP), 5);
      response.on('close', () => {
        clearInterval(flood);
      });
    });
    expect(await errorOf(local({ url }))).toMatchObject({ kind: 'too-large' });
  });

  it('counts the bytes that the caller already has when it continues', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 999999-1000001/*' }).end('012');
    });
    expect(await errorOf(local({ url, fromByte: 999_999 }))).toMatchObject({ kind: 'too-large' });
  });

  it('never shows the path and the query of its address', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(403).end('sig=f00d');
    });
    const errors = [
      await errorOf(local({ url: `${url}/a.mp4?sig=f00d#f00d` })),
      await errorOf(openDownload({ url: 'http://10.0.0.1/a.mp4?sig=f00d' }, { policy: policyFor() })),
      await errorOf(openDownload({ url: 'http://user:f00d@a.example/' }, { policy: policyFor() })),
      await errorOf(openDownload({ url: 'ht tp://f00d' }, { policy: policyFor() })),
    ];
    expect(errors[0]!.message).toMatch(/^GET from 127\.0\.0\.1:\d+ answered 403$/);
    for (const error of errors) {
      expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain('f00d');
    }
  });
});

describe('an address that must not be read', () => {
  const refuses = async (url: string, ...hosts: string[]) => {
    expect(await errorOf(openDownload({ url }, { policy: policyFor(...hosts) }))).toMatchObject({
      kind: 'refused-address',
      status: null,
    });
  };

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://127%2e0.0.1/',
    'http://0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://192.0.0.192/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::]/',
    'http://[2001:db8::1]/',
  ])('is %s, of a range that is not public', async (url) => {
    await refuses(url);
  });

  it.each(['file:///etc/passwd', 'ftp://a.example/x', 'data:video/mp4;base64,AA', 'javascript:1', '/relative', ''])(
    'is %p, which is neither http nor https',
    async (url) => {
      await refuses(url);
    },
  );

  it.each(['http://user@a.example/', 'http://:secret@127.0.0.1/'])('is %s, with credentials', async (url) => {
    await refuses(url, '127.0.0.1', 'a.example');
  });

  it('is a name that leads to such an address, found when connecting', async () => {
    const { url, seen } = await serveClip();
    await refuses(url.replace('127.0.0.1', 'localhost'));
    expect(seen).toHaveLength(0);
  });

  it.each(['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('is not %s', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it('is read if its host is listed, with its port, without, or by name', async () => {
    const { url, host } = await serveClip();
    const port = new URL(url).port;
    for (const listed of [host, '127.0.0.1', '127.1', `0x7f.1:${port}`]) {
      expect((await openDownload({ url }, { policy: policyFor(listed) })).status).toBe(200);
    }
    const byName = url.replace('127.0.0.1', 'localhost');
    for (const listed of ['localhost', `LOCALHOST:${port}`]) {
      const { body } = await openDownload({ url: byName }, { policy: policyFor(listed) });
      body.destroy();
    }
  });

  it('stays refused if another port, or another spelling of a name, is listed', async () => {
    const { url, host } = await serveClip();
    await refuses(url, `${host}0`, '127.0.0.1:1', 'localhost', '127.0.0', '');
    await refuses(url.replace('127.0.0.1', 'localhost'), '127.0.0.1', 'ocalhost');
  });
});

describe('a redirect', () => {
  const redirecting = (to: (path: string) => string, status = 302) =>
    serve(({ path }, response) => {
      response.writeHead(status, { location: to(path) }).end('moved');
    });

  it.each([301, 302, 303, 307, 308])('%i is followed, with the range', async (status) => {
    const clip = await serveClip();
    const { url, host } = await redirecting(() => `${clip.url}/clip.mp4?sig=2`, status);
    const policy = policyFor(host, clip.host);
    const download = await openDownload({ url, fromByte: 5, ifRange: '"clip-1"' }, { policy });
    expect(download.status).toBe(206);
    expect(sha(await bytesOf(download))).toBe(sha(CLIP.subarray(5)));
    expect(clip.seen[0]!.path).toBe('/clip.mp4?sig=2');
  });

  it('may be relative', async () => {
    const { url, seen } = await serve(({ path }, response) => {
      if (path === '/a/b') response.writeHead(302, { location: '../c' }).end();
      else response.end(CLIP);
    });
    expect((await bytesOf(await local({ url: `${url}/a/b` }))).length).toBe(CLIP.length);
    expect(seen[1]!.path).toBe('/c');
  });

  it('is followed five times and no more', async () => {
    const hops = (count: number) =>
      serve(({ path }, response) => {
        const hop = Number(path.slice(1));
        if (hop < count) response.writeHead(302, { location: `/${hop + 1}` }).end();
        else response.end('here');
      });
    expect((await bytesOf(await local({ url: `${(await hops(5)).url}/0` }))).toString()).toBe('here');
    const six = await hops(6);
    expect(await errorOf(local({ url: `${six.url}/0` }))).toMatchObject({ kind: 'status' });
    expect(six.seen).toHaveLength(6);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:10.0.0.1]/',
    'http://0x7f.1:1/',
    'http://localhost:1/',
    '//10.0.0.1/x',
    'file:///etc/passwd',
    'http://user:pass@127.0.0.1/',
  ])('to %s is refused', async (location) => {
    const { url } = await redirecting(() => location);
    expect(await errorOf(local({ url }))).toMatchObject({ kind: 'refused-address' });
  });

  it('without a Location is an answer without an asset', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(302).end();
    });
    expect(await errorOf(local({ url }))).toMatchObject({ kind: 'status', status: 302 });
  });
});

function cut(headers: string, end: (socket: Socket) => void, body = 'half'): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n${body}`);
      setTimeout(() => {
        end(socket);
      }, 50);
    });
  };
}

function drip(response: ServerResponse, count: number, everyMs: number): void {
  let left = count;
  const timer = setInterval(() => {
    left -= 1;
    response.write('.');
    if (left > 0) return;
    clearInterval(timer);
    response.end();
  }, everyMs);
}

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
