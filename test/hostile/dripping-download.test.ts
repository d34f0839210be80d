import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServerResponse } from 'node:http';
import { createDownloadAsset, type DownloadAsset } from '../../activities/collect/download-asset';
import { openDownload } from '../../gateway';
import { openStore, type FolderStore } from '../../store';
import { type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';
import { temporaryFolder } from '../support/temporary-folder';

const CLIP = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
const DRIP_BYTES = 100;

/** A drip arrives every few milliseconds, so no download stalls; the required pace is higher than the drips. */
const DRIP_MS = 20;
const LEAST_PACE = { bytes: 50_000, windowMs: 800 };

let server: ScriptedGateway;
let store: FolderStore;
let download: DownloadAsset;

beforeEach(async () => {
  server = await startScriptedGateway();
  store = await openStore(join(await temporaryFolder(), 'store'));
  const allowedPrivateHosts = [new URL(server.url).host];
  const policy = { allowedPrivateHosts, maxBytes: 1_000_000, stallMs: 60_000, leastPace: LEAST_PACE };
  download = createDownloadAsset(store, policy);
});

afterEach(() => server.close());

/** Sends the body in drips while the client reads. */
function drip(response: ServerResponse, body: Buffer): void {
  let at = 0;
  const timer = setInterval(() => {
    if (at >= body.length) response.end();
    else response.write(body.subarray(at, (at += DRIP_BYTES)));
  }, DRIP_MS);
  response.once('close', () => clearInterval(timer));
}

const collect = () => {
  const describe = () => Promise.resolve({ mediaType: 'video/mp4', durationSeconds: null, width: null, height: null });
  return download({ url: `${server.url}/clip.mp4`, label: 'take', describe, signal: new AbortController().signal });
};

it('a dripping download is ended, continues where it stopped, and arrives completely', async () => {
  let begun = 0;
  server.answer = ({ headers: { range } }, response) => {
    begun += 1;
    const from = Number(/\d+/.exec(range ?? '')?.[0] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"v1"',
      'content-length': CLIP.length - from,
      ...(from > 0 && { 'content-range': `bytes ${from}-${CLIP.length - 1}/${CLIP.length}` }),
    });
    if (begun < 3) drip(response, CLIP.subarray(from));
    else response.end(CLIP.subarray(from));
  };
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const before = (await store.assets.leftParts('take'))[0]?.sizeBytes ?? 0;
    await expect(collect()).rejects.toMatchObject({ type: 'DownloadInterrupted', nonRetryable: false });
    const [left] = await store.assets.leftParts('take');
    expect(left?.sizeBytes).toBeGreaterThan(before);
    expect(left?.sizeBytes).toBeLessThan(LEAST_PACE.bytes);
  }
  const kept = (await store.assets.leftParts('take'))[0]?.sizeBytes;
  expect((await collect()).sha256).toBe(createHash('sha256').update(CLIP).digest('hex'));
  expect(server.arrived.at(-1)?.headers).toMatchObject({ range: `bytes=${kept}-` });
  expect(await readdir(join(store.folder, 'parts'))).toEqual([]);
});

it('an asset that arrives late but at once is not a drip', async () => {
  const windowMs = 100;
  server.answer = (_, response) => {
    response.writeHead(200, { 'content-length': DRIP_BYTES }).flushHeaders();
    setTimeout(() => response.end(CLIP.subarray(0, DRIP_BYTES)), 2 * windowMs);
  };
  const policy = {
    allowedPrivateHosts: [new URL(server.url).host],
    maxBytes: 1_000,
    leastPace: { bytes: 1_000, windowMs },
  };
  const { body } = await openDownload({ url: server.url }, { policy });
  expect(Buffer.concat((await body.toArray()) as Buffer[])).toHaveLength(DRIP_BYTES);
});

it('a slow reader is not a drip', async () => {
  // More than the read-ahead buffer.
  const clip = Buffer.alloc(400_000);
  const begin = clip.subarray(0, -DRIP_BYTES);
  let sendEnd: () => void = () => undefined;
  server.answer = (_, response) => {
    response.writeHead(200, { 'content-length': clip.length }).write(begin);
    sendEnd = () => void response.end(clip.subarray(-DRIP_BYTES));
  };
  const leastPace = { bytes: 10 * clip.length, windowMs: 200 };
  const allowedPrivateHosts = [new URL(server.url).host];
  const { body } = await openDownload(
    { url: server.url },
    { policy: { allowedPrivateHosts, maxBytes: clip.length, leastPace } },
  );
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    await new Promise((resolve) => setTimeout(resolve, leastPace.windowMs / 2));
    if (bytes === begin.length) sendEnd();
  }
  expect(bytes).toBe(clip.length);
});
