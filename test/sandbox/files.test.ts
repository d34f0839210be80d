import { request as httpRequest } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { finish, IMAGE, sandbox, submit } from './rig';

async function picture() {
  const server = await sandbox();
  const { result } = await finish(server, await submit(server, IMAGE.model, IMAGE.params));
  const url = result!.url!;
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  return { url, whole };
}

async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(url, { method, headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('files', () => {
  it('are answered completely, with what a download needs to continue later', async () => {
    const { url, whole } = await picture();
    const { status, headers } = await get(url);
    expect(status).toBe(200);
    expect(headers.get('content-length')).toBe(String(whole.length));
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('etag')).toMatch(/^".+"$/);
  });

  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=100-', 100, undefined],
    ['bytes=-20', -20, undefined],
    ['bytes=50-999999999', 50, undefined],
  ])('are answered in part for %s', async (range, from, to) => {
    const { url, whole } = await picture();
    const part = await get(url, { range });
    const expected = whole.subarray(from, to);
    expect(part.status).toBe(206);
    expect(part.bytes.equals(expected)).toBe(true);
    expect(part.headers.get('content-length')).toBe(String(expected.length));
    const start = from < 0 ? whole.length + from : from;
    expect(part.headers.get('content-range')).toBe(`bytes ${start}-${start + expected.length - 1}/${whole.length}`);
  });

  it('are answered in part only while If-Range holds', async () => {
    const { url, whole } = await picture();
    const etag = (await get(url)).headers.get('etag')!;
    expect(await get(url, { range: 'bytes=10-', 'if-range': etag })).toMatchObject({ status: 206 });
    const changed = await get(url, { range: 'bytes=10-', 'if-range': '"another"' });
    expect(changed.status).toBe(200);
    expect(changed.bytes.equals(whole)).toBe(true);
  });

  it('are refused beyond their end, and answered completely for anything but a single range', async () => {
    const { url, whole } = await picture();
    const beyond = await get(url, { range: `bytes=${whole.length}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${whole.length}`);
    for (const range of ['bytes=0-1,4-5', 'lines=1-2', 'bytes=-']) {
      expect(await get(url, { range })).toMatchObject({ status: 200 });
    }
  });

  it('answer HEAD with the headers alone', async () => {
    const { url, whole } = await picture();
    const { status, headers, bytes } = await get(url, {}, 'HEAD');
    expect(status).toBe(200);
    expect(headers.get('content-length')).toBe(String(whole.length));
    expect(bytes).toHaveLength(0);
    expect((await get(url, { range: 'bytes=0-1' }, 'HEAD')).status).toBe(200);
  });

  it('are only those of tasks', async () => {
    const { url } = await picture();
    const { host } = new URL(url);
    for (const path of ['/files/../tasks.jsonl', '/files/..%2f..%2f/tasks.jsonl', '/files/x/%2e%2e%2ftasks.jsonl']) {
      expect(await rawStatus(host, path)).toBe(404);
    }
  });

  it('may be abandoned by a reader in the middle', async () => {
    const { url, whole } = await picture();
    const left = httpRequest(url).end();
    const [response] = (await once(left, 'response')) as [IncomingMessage];
    response.destroy();
    expect((await get(url)).bytes.equals(whole)).toBe(true);
  });
});

/** Requests a path unchanged; fetch would normalize it. */
async function rawStatus(host: string, path: string): Promise<number | undefined> {
  const [hostname, port] = host.split(':');
  const sent = httpRequest({ hostname, port, path, headers: { authorization: 'Bearer a-key' } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
