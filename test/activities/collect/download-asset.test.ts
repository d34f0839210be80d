import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDownloadAsset, type DownloadAsset } from '../../../activities/collect/download-asset';
import { type AssetRef } from '../../../contracts/asset';
import { hashFile, openStore, type FolderStore } from '../../../store';
import { type Answer, type ScriptedGateway, startScriptedGateway } from '../../support/scripted-gateway';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

const CLIP = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
const PLAIN = { mediaType: 'video/mp4', durationSeconds: null, width: null, height: null };

describe('the download of an asset', () => {
  let server: ScriptedGateway;
  let store: FolderStore;
  let download: DownloadAsset;

  beforeEach(async () => {
    server = await startScriptedGateway();
    store = await openStore(join(await temporaryFolder(), 'store'));
    download = createDownloadAsset(store, { allowedPrivateHosts: [new URL(server.url).host], maxBytes: 1_000_000 });
  });

  afterEach(() => server.close());

  const run = (answer: Answer, { label = 'take', describe = () => Promise.resolve(PLAIN) } = {}): Promise<AssetRef> => {
    server.answer = answer;
    const signal = new AbortController().signal;
    return download({ url: `${server.url}/clip.mp4`, label, describe, signal });
  };

  /** Sends `bytes` more of the clip, from the requested offset, and breaks the connection before its end. */
  const breakAfter =
    (bytes: number, headers: Record<string, string> = { etag: '"v1"' }): Answer =>
    ({ headers: { range } }, response) => {
      const from = Number(/\d+/.exec(range ?? '')?.[0] ?? 0);
      const rest = { 'content-range': `bytes ${from}-${CLIP.length - 1}/${CLIP.length}` };
      response.writeHead(from > 0 ? 206 : 200, {
        ...headers,
        ...(from > 0 && rest),
        'content-length': CLIP.length - from,
      });
      response.write(CLIP.subarray(from, from + bytes), () => {
        if (from + bytes >= CLIP.length) response.end();
        else void until(() => hasOnDisk(from + bytes)).finally(() => response.destroy());
      });
    };
  const whole = breakAfter(CLIP.length);

  const partsLeft = async () => (await readdir(join(store.folder, 'parts'))).filter((name) => name.endsWith('.part'));

  /** Received bytes are lost with the connection until they are on the disk. */
  const hasOnDisk = async (bytes: number): Promise<boolean> => {
    const sizes = await Promise.all((await partsLeft()).map((name) => sizeOf(join(store.folder, 'parts', name))));
    return sizes.includes(bytes);
  };
  const sizeOf = (path: string) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    );

  const hash = createHash('sha256').update(CLIP).digest('hex');

  it('keeps one part file, however often it is interrupted, and completes it', async () => {
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await expect(run(breakAfter(10_000))).rejects.toMatchObject({ type: 'DownloadInterrupted' });
      const left = await store.assets.leftParts('take');
      expect(left.map(({ sizeBytes }) => sizeBytes)).toEqual([attempt * 10_000]);
    }
    expect((await run(whole)).sha256).toBe(hash);
    expect(server.arrived.at(-1)?.headers).toMatchObject({ range: 'bytes=40000-', 'if-range': '"v1"' });
    expect(await readdir(join(store.folder, 'parts'))).toEqual([]);
  });

  it('keeps the received bytes while the server does not answer', async () => {
    await expect(run(breakAfter(10_000))).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await expect(run((_request, response) => void response.destroy())).rejects.toThrow();
    }
    expect((await run(whole)).sha256).toBe(hash);
    expect(server.arrived.at(-1)?.headers.range).toBe('bytes=10000-');
  });

  it.each([
    ['none', {}],
    ['a weak one', { etag: 'W/"v1"' }],
  ])('keeps nothing that came with %s as ETag', async (_what, headers) => {
    await expect(run(breakAfter(10_000, headers))).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    expect(await readdir(join(store.folder, 'parts'))).toEqual([]);
    expect((await run(whole)).sha256).toBe(hash);
    expect(server.arrived.at(-1)?.headers.range).toBeUndefined();
  });

  it('does not continue a version that the server no longer has', async () => {
    await expect(run(breakAfter(10_000))).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    const other: Answer = (_request, response) => {
      response.writeHead(200, { 'content-length': CLIP.length });
      response.write(Buffer.alloc(20_000), () => setTimeout(() => response.destroy(), 50));
    };
    await expect(run(other)).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    expect(await readdir(join(store.folder, 'parts'))).toEqual([]);
    expect((await run(whole)).sha256).toBe(hash);
  });

  it('starts over if the rest comes without an ETag, since it may be of another version', async () => {
    await expect(run(breakAfter(10_000))).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    await expect(run(breakAfter(CLIP.length, {}))).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    expect(await readdir(join(store.folder, 'parts'))).toEqual([]);
    expect((await run(whole)).sha256).toBe(hash);
    expect(server.arrived.at(-1)?.headers.range).toBeUndefined();
  });

  it('hashes the version that arrived, whatever part it had of another', async () => {
    await expect(run(breakAfter(10_000))).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    const other = Buffer.alloc(30_000, 7);
    const asset = await run((_request, response) => {
      response.writeHead(200, { 'content-length': other.length, etag: '"v2"' }).end(other);
    });
    expect(server.arrived.at(-1)?.headers.range).toBe('bytes=10000-');
    expect(asset).toMatchObject({ sizeBytes: 30_000, sha256: createHash('sha256').update(other).digest('hex') });
    expect(await hashFile(store.assets.shownPath(asset))).toBe(asset.sha256);
  });

  it('writes exactly what it has hashed, even if the clip arrives faster than it is written', async () => {
    const clip = randomBytes(12_000_000);
    const half = clip.length / 2;
    server.answer = ({ headers: { range } }, response) => {
      const from = range === undefined ? 0 : half;
      const rest = from > 0 && { 'content-range': `bytes ${from}-${clip.length - 1}/${clip.length}` };
      response.writeHead(from > 0 ? 206 : 200, { etag: '"v1"', 'content-length': clip.length - from, ...rest });
      if (from > 0) response.end(clip.subarray(from));
      else
        response.write(clip.subarray(0, half), () => void until(() => hasOnDisk(half)).then(() => response.destroy()));
    };
    const policy = { allowedPrivateHosts: [new URL(server.url).host], maxBytes: clip.length };
    const { signal } = new AbortController();
    const describe = () => Promise.resolve(PLAIN);
    const attempt = () =>
      createDownloadAsset(store, policy)({ url: `${server.url}/clip.mp4`, label: 'take', describe, signal });

    await expect(attempt()).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    const asset = await attempt();
    expect(server.arrived.at(-1)?.headers.range).toBe(`bytes=${half}-`);
    expect(asset.sha256).toBe(createHash('sha256').update(clip).digest('hex'));
    expect(await hashFile(store.assets.shownPath(asset))).toBe(asset.sha256);
  });

  it('removes the part of a killed attempt that cannot be continued', async () => {
    for (const bytes of ['', 'half a copy']) await writeFile(await store.assets.newPart('take'), bytes);
    const other = await store.assets.newPart('another-take');
    await run(whole);
    expect(await partsLeft()).toEqual([other.slice(other.lastIndexOf('/') + 1)]);
  });

  it.each<[string, Answer, string]>([
    [
      'more than is allowed',
      (_request, response) => void response.writeHead(200, { 'content-length': 2_000_000, etag: '"v1"' }).end(),
      'OutputUnusable',
    ],
    [
      'an address that is refused',
      (_request, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      'AddressRefused',
    ],
  ])('keeps nothing for %s', async (_what, answer, type) => {
    await expect(run(breakAfter(10_000))).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    await expect(run(answer)).rejects.toMatchObject({ type });
    expect(await readdir(join(store.folder, 'parts'))).toEqual([]);
  });

  it('keeps no bytes that must not become an asset', async () => {
    const describe = () => Promise.reject(new Error('no clip'));
    await expect(run(whole, { describe })).rejects.toThrow('no clip');
    expect(await readdir(join(store.folder, 'parts'))).toEqual([]);
  });

  it('is not harmed by a presumed dead attempt that wakes up', async () => {
    let wake: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (wake = resolve));
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const slow = run(async (_request, response) => {
      response.writeHead(200, { etag: '"v1"', 'content-length': CLIP.length });
      response.write(CLIP.subarray(0, 10_000), begin);
      await held;
      response.end(Buffer.alloc(CLIP.length - 10_000));
    });
    await begun;
    expect((await run(whole)).sha256).toBe(hash);
    wake();
    await slow.catch(() => undefined);
    const asset = { ...PLAIN, sha256: hash, sizeBytes: CLIP.length };
    expect(await store.assets.has(asset)).toBe(true);
    expect(await readdir(join(store.folder, 'parts'))).toEqual([]);
  });

  it('makes no asset of the rest alone if its part was removed while it waited for an answer', async () => {
    await expect(run(breakAfter(60_000))).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    let wake: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (wake = resolve));
    let ask: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (ask = resolve));
    const slow = run(async (request, response) => {
      ask();
      await held;
      await whole(request, response);
    });
    await asked;
    expect((await run(whole)).sha256).toBe(hash);
    wake();
    await expect(slow).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    expect(await readdir(join(store.folder, 'parts'))).toEqual([]);
    expect(
      (await readdir(join(store.folder, 'assets'), { recursive: true })).filter((name) => name.length > 2),
    ).toEqual([join(hash.slice(0, 2), hash)]);
  });
});
