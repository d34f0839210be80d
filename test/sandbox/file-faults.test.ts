import { connect } from 'node:net';
import { type Download, DownloadError, type DownloadFailure, openDownload } from '../../gateway';
import { FAULTS, type FaultName, type Sandbox } from '../../sandbox';
import { BUSY_MS, closeNow, finish, IMAGE, sandbox, submit } from './rig';

/** A client's timeout for a silent connection: less than the slow transfers of these tests take. */
const STALL_MS = BUSY_MS;

/** The outcome of a download under each fault that it notices, and the status that it sees. */
const NOTICED: [FaultName, DownloadFailure, number | null][] = [
  ['file-redirects', 'status', null],
  ['file-truncated', 'truncated', null],
  ['file-short', 'truncated', null],
  ['file-reset', 'truncated', null],
  ['file-stalls', 'stalled', null],
];

async function picture(): Promise<{ server: Sandbox; url: string; whole: Buffer }> {
  const server = await sandbox();
  const { result } = await finish(server, await submit(server, IMAGE.model, IMAGE.params));
  const url = result!.url!;
  return { server, url, whole: await bytesOf(await open(url)) };
}

async function open(url: string, from: { fromByte?: number; ifRange?: string } = {}): Promise<Download> {
  const policy = { allowedPrivateHosts: [new URL(url).host], maxBytes: 10_000_000, stallMs: STALL_MS };
  return await openDownload({ url, ...from }, { policy });
}

async function bytesOf({ body }: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** How the connection of a download ends, seen from the socket. */
async function endOf(url: string): Promise<string> {
  const { host, hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  return await new Promise((resolve) => {
    socket.on('data', () => undefined);
    socket.on('end', () => {
      resolve('end');
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code ?? 'error');
    });
  });
}

describe('a fault of a file', () => {
  it.each(NOTICED)('%s ends a download as %s, and the next one is whole', async (kind, failure, status) => {
    const { server, url, whole } = await picture();
    server.faults.inject({ kind });
    const error: unknown = await open(url)
      .then(bytesOf)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DownloadError);
    expect(error).toMatchObject({ kind: failure, status });
    expect((await bytesOf(await open(url))).equals(whole)).toBe(true);
    expect(server.faults.struck()).toEqual({ [kind]: 1 });
    expect(server.tasks()).toMatchObject([{ state: 'COMPLETED', credits: 3 }]);
  });

  it.each(NOTICED)('%s strikes a download that continues in the middle', async (kind, failure) => {
    const { server, url, whole } = await picture();
    const etag = (await open(url)).etag!;
    server.faults.inject({ kind });
    const rest = { fromByte: 100, ifRange: etag };
    const error: unknown = await open(url, rest)
      .then(bytesOf)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: failure });
    const download = await open(url, rest);
    expect(download.status).toBe(206);
    expect((await bytesOf(download)).equals(whole.subarray(100))).toBe(true);
  });

  it('resets a connection if its name says so, and otherwise closes it', async () => {
    const { server, url } = await picture();
    const ends: string[] = [];
    for (const kind of ['file-reset', 'file-truncated', 'file-short'] as const) {
      server.faults.inject({ kind });
      ends.push(await endOf(url));
    }
    expect(ends).toEqual(['ECONNRESET', 'end', 'end']);
  });

  it('sends a page of HTML as if it were the file', async () => {
    const { server, url } = await picture();
    server.faults.inject({ kind: 'file-html' });
    const download = await open(url);
    expect(download).toMatchObject({ status: 200, mediaType: 'text/html', etag: null });
    expect((await bytesOf(download)).toString()).toContain('<html>');
  });

  it('sends nothing and says so', async () => {
    const { server, url } = await picture();
    server.faults.inject({ kind: 'file-empty' });
    const download = await open(url);
    expect(download).toMatchObject({ status: 200, totalBytes: 0, mediaType: 'image/png' });
    expect(await bytesOf(download)).toHaveLength(0);
  });

  it('announces too little, so that a client mistakes a half for the whole', async () => {
    const { server, url, whole } = await picture();
    server.faults.inject({ kind: 'file-long' });
    const download = await open(url);
    expect(download.totalBytes).toBe(Math.ceil(whole.length / 2));
    expect((await bytesOf(download)).equals(whole.subarray(0, Math.ceil(whole.length / 2)))).toBe(true);
  });

  it('sends slowly, for longer than a client waits for one byte, but completely', async () => {
    const { server, url, whole } = await picture();
    server.faults.inject({ kind: 'file-slow', seconds: 2 * (STALL_MS / 1000) });
    const arrivals = new Set<number>();
    const download = await open(url);
    const chunks: Buffer[] = [];
    for await (const chunk of download.body) {
      arrivals.add(chunks.length);
      chunks.push(chunk as Buffer);
    }
    expect(arrivals.size).toBeGreaterThan(5);
    expect(Buffer.concat(chunks).equals(whole)).toBe(true);
  });

  it('does not strike HEAD, or missing files', async () => {
    const { server, url } = await picture();
    server.faults.inject({ kind: 'file-empty' });
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).not.toBe('0');
    await (await fetch(`${url}x`)).arrayBuffer();
    expect(server.faults.armed()).toEqual([{ kind: 'file-empty', count: 1 }]);
  });

  it('is released when the sandbox closes', async () => {
    const { server, url } = await picture();
    server.faults.inject({ kind: 'file-slow', seconds: 1000 });
    const { body } = await open(url);
    const ended = bytesOf({ body } as Download).catch(() => 'broken');
    await closeNow(server);
    expect(await ended).toBe('broken');
  });
});

it('leaves no fault of a file untested', () => {
  const tested = [...NOTICED.map(([name]) => name), 'file-html', 'file-empty', 'file-long', 'file-slow'];
  const known = Object.entries(FAULTS).filter(([, { at }]) => at === 'file');
  expect(tested.sort()).toEqual(known.map(([name]) => name).sort());
});
