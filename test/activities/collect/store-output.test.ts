import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import os from 'node:os';
import { promisify } from 'node:util';
import { createBackground } from '../../../activities';
import { type TakeOutput } from '../../../contracts/activities';
import { type FrozenShot } from '../../../contracts/render/frozen';
import { findFfmpeg } from '../../../media';
import { ownTaskId, wrapAssets } from '../../../store';
import { DECEPTIVE } from '../../hostile/hostile-clips';
import { type ActivityBench, acceptedTake, oneShotFilm, startBench } from '../../support/activity-bench';
import { scriptedFfmpeg } from '../../media/fixtures';
import { keptPieces } from '../../support/kept-pieces';
import { ADDRESS } from '../../support/ledger-fixtures';
import {
  acceptAll,
  type Answer,
  json,
  type ScriptedGateway,
  startScriptedGateway,
} from '../../support/scripted-gateway';
import { temporaryFolder } from '../../support/temporary-folder';
import { until } from '../../support/until';

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const FILM = oneShotFilm({ prompt: 'x', duration: 4, resolution: '480p' });

describe('storeOutput', () => {
  let clip: Buffer;
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let task: Awaited<ReturnType<typeof acceptedTake>>;
  /** Answers for the clip's address, one after the other; the last one stays. */
  let files: Answer[];
  let address: () => string;

  beforeAll(async () => {
    const path = join(await temporaryFolder(), 'clip.mp4');
    const { path: ffmpeg } = await findFfmpeg();
    const source = ['-f', 'lavfi', '-i', 'testsrc2=size=854x480:rate=24:duration=4'];
    await promisify(execFile)(ffmpeg, ['-nostdin', '-y', ...source, '-pix_fmt', 'yuv420p', path]);
    clip = await readFile(path);
  });

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    bench = await startBench(gateway.url, 'key', FILM);
    task = await acceptedTake(bench);
    address = () => `${gateway.url}/files/clip.mp4`;
    gateway.answer = (request, response) => {
      if (!request.path.startsWith('/files')) {
        const result = { url: address() };
        return json(response, 200, { status: 'success', response: { id: 'task-1', status: 'COMPLETED', result } });
      }
      const answer = files.length > 1 ? files.shift() : files[0];
      return answer?.(request, response);
    };
    files = [whole];
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  const whole: Answer = (_request, response) => {
    response.writeHead(200, { 'content-length': clip.length, etag: '"v1"' }).end(clip);
  };
  const cutInTheMiddle: Answer = (_request, response) => {
    response.writeHead(200, { 'content-length': clip.length, etag: '"v1"' });
    response.write(clip.subarray(0, 10_000), () => void until(() => hasOnDisk(10_000)).then(() => response.destroy()));
  };
  const rest: Answer = ({ headers }, response) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1]);
    const range = `bytes ${from}-${clip.length - 1}/${clip.length}`;
    const part = clip.subarray(from);
    response.writeHead(206, { 'content-range': range, 'content-length': part.length, etag: '"v1"' }).end(part);
  };

  const input = () => ({
    take: task.take,
    taskId: task.taskId,
    production: bench.production,
    output: 'video' as const,
  });
  const storeOutput = (): Promise<TakeOutput> => bench.run(bench.activities().media.storeOutput, input());
  const persist = () => bench.persist(bench.activities().media.storeOutput, input());

  const fileRequests = () => gateway.arrived.filter(({ path }) => path.startsWith('/files'));
  const readsOfTask = () => gateway.arrived.filter(({ method, path }) => method === 'GET' && path.endsWith('/result'));
  const partsLeft = () => readdir(join(bench.store.folder, 'parts')).catch(() => []);

  /** Received bytes are lost with the connection until they are on the disk. */
  const hasOnDisk = async (bytes: number): Promise<boolean> => {
    const { takeKey } = task.take;
    return (await bench.store.assets.leftParts(takeKey)).some(({ sizeBytes }) => sizeBytes === bytes);
  };

  it('stores the clip unchanged, probed, with its first frame, and records it', async () => {
    const output = await storeOutput();
    expect(output.asset).toMatchObject({
      sha256: createHash('sha256').update(clip).digest('hex'),
      sizeBytes: clip.length,
      mediaType: 'video/mp4',
      width: 854,
      height: 480,
    });
    expect(output.asset.durationSeconds).toBeCloseTo(4, 1);
    expect(output.firstFrame).toMatchObject({ mediaType: 'image/png', width: 854, height: 480 });
    expect(output.warnings).toEqual([]);
    expect((await bench.store.ledger.take(ADDRESS))?.output).toEqual({
      ...output,
      taskId: task.taskId,
      at: expect.any(String),
    });
    expect(await partsLeft()).toEqual([]);
  });

  it('records the end of the task if the ledger has lost it, so that the take can be chosen', async () => {
    expect((await bench.store.ledger.take(ADDRESS))?.settled).toBeUndefined();
    await storeOutput();
    const { taskId } = task;
    expect((await bench.store.ledger.take(ADDRESS))?.settled).toMatchObject({ taskId, state: 'completed' });
    const choice = { task: bench.input, take: 1, takeKey: task.take.takeKey, by: 'first' as const };
    const chosen = await bench.run(bench.activities().decisions.chooseTake, choice);
    expect(chosen).toMatchObject({ taken: { state: 'completed' } });
  });

  it('cuts the first frame again after one killed ffmpeg, however many downloads were interrupted before', async () => {
    await bench.close();
    const folder = await temporaryFolder();
    const killOnce = `case "$*" in *"-frames:v 1"*) if mkdir "${folder}/killed"; then kill -KILL $$; fi ;; esac`;
    const { path: ffmpegPath } = await scriptedFfmpeg(folder, `${killOnce}\nexec "$REAL" "$@"`);
    bench = await startBench(gateway.url, 'key', FILM, { ffmpegPath });
    task = await acceptedTake(bench);
    const away: Answer = (_request, response) => void response.writeHead(503).end();
    files = [away, away, whole];
    const { result, failures } = await persist();
    expect(failures).toEqual(['DownloadInterrupted', 'DownloadInterrupted', 'MediaFailed']);
    expect(result.firstFrame).toMatchObject({ mediaType: 'image/png', width: 854 });
    expect(result.warnings).toEqual([]);
  });

  describe('of a result with several files', () => {
    const ofTask = (result: object) => {
      const read = gateway.answer;
      gateway.answer = (request, response) => {
        if (request.path.startsWith('/files')) return read(request, response);
        return json(response, 200, { status: 'success', response: { id: 'task-1', status: 'COMPLETED', result } });
      };
      files = [({ path }, response) => void response.end(path.endsWith('.png') ? Buffer.from(PNG, 'base64') : clip)];
    };
    const file = (name: string): string => `${gateway.url}/files/${name}`;

    it.each<[string, (name: typeof file) => object]>([
      ['behind its last frame', (at) => ({ items: [{ url: at('last.png'), type: 'image' }, { url: at('clip.mp4') }] })],
      ['behind a cover', (at) => ({ url: at('cover.png'), items: [{ url: at('clip.mp4'), type: 'video/mp4' }] })],
      ['behind a bare address', (at) => ({ items: [at('first.png'), at('clip.mp4')] })],
    ])('collects the clip %s', async (_where, result) => {
      ofTask(result(file));
      expect(await storeOutput()).toMatchObject({ asset: { mediaType: 'video/mp4', sizeBytes: clip.length } });
    });

    it('collects the picture among clips and covers, and says how many more there are', async () => {
      const items = ['making-of.mp4', 'thumb.png', 'one.png', 'two.png', 'three.png'].map((name) => ({
        url: file(name),
      }));
      await bench.store.ledger.settle(ADDRESS, {
        ...{ taskId: task.taskId, state: 'completed', credits: 3, at: '2026-01-01T00:00:00.000Z', reason: null },
        ...{ text: null, raw: JSON.stringify({ items }) },
      });
      ofTask({ items });
      const picture = { ...input(), output: 'image' as const };
      const { warnings } = await bench.run(bench.activities().media.storeOutput, picture);
      expect(fileRequests().map(({ path }) => path)).toEqual(['/files/one.png']);
      expect(warnings.slice(-1)).toEqual(['the task has 2 more outputs of this kind, which are not collected']);
    });
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['no sound beside a clip', ['clip.mp4', 'voice.mp3'], []],
    [
      'one more clip',
      ['clip.mp4', 'other.mp4', 'voice.mp3'],
      ['the task has 1 more output of this kind, which is not collected'],
    ],
  ])('counts as left behind: %s', async (_what, names, left) => {
    const items = names.map((name) => ({ url: `${gateway.url}/files/${name}` }));
    await bench.store.ledger.settle(ADDRESS, {
      ...{ taskId: task.taskId, state: 'completed', credits: 3, at: '2026-01-01T00:00:00.000Z', reason: null },
      ...{ text: null, raw: JSON.stringify({ items }) },
    });
    const read = gateway.answer;
    gateway.answer = (request, response) => {
      if (request.path.startsWith('/files')) return read(request, response);
      return json(response, 200, {
        status: 'success',
        response: { id: 'task-1', status: 'COMPLETED', result: { items } },
      });
    };
    const { warnings } = await storeOutput();
    expect(warnings.filter((warning) => warning.includes('not collected'))).toEqual(left);
  });

  it.each<[string, number, object]>([
    ['404', 404, {}],
    ['410', 410, {}],
    ['an id that it does not read', 400, { error: 'no such id' }],
    ['success without a task', 200, { status: 'error' }],
  ])('uses the address in the ledger if the gateway does not know the task: %s', async (_, status, body) => {
    await settleWithAddress();
    const read = gateway.answer;
    gateway.answer = (request, response) =>
      request.path.startsWith('/files') ? read(request, response) : json(response, status, body);
    expect(await storeOutput()).toMatchObject({ asset: { sizeBytes: clip.length } });
  });

  it.each([401, 429, 503])(
    'waits for the gateway if it answers %i, whatever address the ledger has',
    async (status) => {
      await settleWithAddress();
      gateway.answer = (_request, response) => json(response, status, {});
      await expect(storeOutput()).rejects.toMatchObject({ type: 'GatewayUnreadable' });
    },
  );

  it.each([
    ['as it is made now', (takeKey: string) => ownTaskId(takeKey, 1)],
    ['of an older store', (takeKey: string) => `execute-${takeKey.slice(0, 16)}`],
  ])('does not read by an id that Dailies invented, %s', async (_how, made) => {
    const taskId = made(task.take.takeKey);
    await settleWithAddress(taskId);
    await bench.run(bench.activities().media.storeOutput, { ...input(), taskId });
    expect(readsOfTask()).toEqual([]);
    expect(fileRequests()).toHaveLength(1);
  });

  const settleWithAddress = (taskId = task.taskId) =>
    bench.store.ledger.settle(ADDRESS, {
      ...{ taskId, state: 'completed', credits: 3, at: '2026-01-01T00:00:00.000Z', reason: null, text: null },
      raw: JSON.stringify({ url: address() }),
    });

  it('records the clip before frames are cut, and does not download it again if that fails', async () => {
    const { assets } = bench.store;
    const noSpace = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const full = { ...bench.store, assets: wrapAssets(assets, { create: () => Promise.reject(noSpace) }) };
    await expect(bench.run(bench.activities(undefined, full).media.storeOutput, input())).rejects.toMatchObject({
      type: 'StoreUnavailable',
    });
    const noted = (await bench.store.ledger.take(ADDRESS))?.output;
    expect(noted).toMatchObject({ asset: { sizeBytes: clip.length }, firstFrame: null });
    expect(await storeOutput()).toMatchObject({ asset: noted?.asset, firstFrame: { mediaType: 'image/png' } });
    expect(fileRequests()).toHaveLength(1);
  });

  it('records an output without frames once', async () => {
    const noteOutput = jest.spyOn(bench.store.ledger, 'noteOutput');
    files = [send(Buffer.from(PNG, 'base64'))];
    const { asset } = await bench.run(bench.activities().media.storeOutput, { ...input(), output: 'image' as const });
    expect((await bench.store.ledger.take(ADDRESS))?.output).toMatchObject({ asset, firstFrame: null });
    expect(noteOutput).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['behind all else where its chain goes on by the clip alone', {}, true],
    ['like all else where an anchor corrects by it', { anchor: 'dawn' }, false],
  ])('measures a clip on which others start %s', async (_how, anchor, yields) => {
    const { version, id, title, shots } = oneShotFilm();
    const [dawn] = shots as [FrozenShot];
    const after = (name: string, shot: string, more: object): FrozenShot => ({
      ...{ ...dawn, id: name },
      files: { startFrame: { kind: 'link', shot, frame: 'last', ...more } },
    });
    const chain = { version, id, title, shots: [dawn, after('noon', 'dawn', {}), after('dusk', 'noon', anchor)] };
    const production = await bench.store.putJson(chain);
    const setPriority = jest.spyOn(os, 'setPriority');
    const { asset } = await bench.run(bench.activities().media.storeOutput, { ...input(), production });
    await until(() => bench.store.measures.kept(asset));
    expect(setPriority.mock.calls).toHaveLength(yields ? 1 : 0);
    setPriority.mockRestore();
  });

  it('has a clip that others start on rendered for the film', async () => {
    const { version, id, title, shots } = oneShotFilm();
    const [dawn] = shots as [FrozenShot];
    const noon: FrozenShot = {
      ...dawn,
      id: 'noon',
      files: { startFrame: { kind: 'link', shot: 'dawn', frame: 'last' } },
    };
    const assembly = { transition: { kind: 'cut' as const }, subtitles: false };
    const production = await bench.store.putJson({ version, id, title, shots: [dawn, noon], assembly });
    const rendering = createBackground();
    const { media } = bench.activities('account', bench.store, undefined, rendering);
    await bench.run(media.storeOutput, { ...input(), production });
    await until(async () => (await keptPieces(bench.store)).length === 1);
    await rendering.stop();
  });

  it('never sends the key to the address of an asset', async () => {
    await storeOutput();
    expect(fileRequests()[0]?.headers.authorization).toBeUndefined();
  });

  it('continues where an interrupted download stopped', async () => {
    files = [cutInTheMiddle, rest];
    await expect(storeOutput()).rejects.toMatchObject({ type: 'DownloadInterrupted', nonRetryable: false });
    const output = await storeOutput();
    expect(output.asset.sizeBytes).toBe(clip.length);
    expect(fileRequests()[1]?.headers).toMatchObject({ range: 'bytes=10000-', 'if-range': '"v1"' });
    expect(await partsLeft()).toEqual([]);
  });

  it('starts over if the server has another version', async () => {
    files = [cutInTheMiddle, whole];
    await expect(storeOutput()).rejects.toMatchObject({ type: 'DownloadInterrupted' });
    expect((await storeOutput()).asset.sha256).toBe(createHash('sha256').update(clip).digest('hex'));
  });

  it.each([403, 404, 410])('reads the address again after %i', async (status) => {
    files = [(_request, response) => void response.writeHead(status).end(), whole];
    await expect(storeOutput()).rejects.toMatchObject({ type: 'DownloadInterrupted', nonRetryable: false });
    address = () => `${gateway.url}/files/clip.mp4?signature=fresh`;
    await storeOutput();
    expect(fileRequests().at(-1)?.path).toContain('signature=fresh');
  });

  const send =
    (body: string | Buffer): Answer =>
    (_request, response) =>
      void response.writeHead(200).end(body);
  const USELESS: [string, Answer][] = [
    ['an HTML page', send('<!doctype html><html><body>Sign in</body></html>')],
    ['a JSON text', send('{"error": "not ready"}')],
    ['nothing', send('')],
    ['a clip that promises 4 billion samples', send(DECEPTIVE['stts with 4 billion samples']!())],
    [
      'more than is allowed',
      (_request, response) => void response.writeHead(200, { 'content-length': 100_000_000 }).end('x'),
    ],
  ];

  it.each(USELESS)('looks for the output again if %s comes in its place', async (_what, useless) => {
    files = [useless, useless, whole];
    const { result, failures } = await persist();
    expect(failures).toEqual(['DownloadInterrupted', 'DownloadInterrupted']);
    expect(result.asset.sizeBytes).toBe(clip.length);
    expect(readsOfTask()).toHaveLength(3);
  });

  it.each(USELESS)('is final if %s comes in its place for good', async (_what, useless) => {
    files = [useless];
    await expect(persist()).rejects.toMatchObject({ type: 'OutputUnusable', nonRetryable: true });
    expect(readsOfTask().length).toBeGreaterThan(3);
    expect((await bench.store.ledger.take(ADDRESS))?.output).toBeUndefined();
    expect(await partsLeft()).toEqual([]);
  });

  it('does not count a broken connection as something else that came', async () => {
    files = [...Array.from({ length: 20 }, () => cutInTheMiddle), whole];
    expect((await persist()).result.asset.sizeBytes).toBe(clip.length);
  });

  it('does not store a picture as a clip, and says at once how to collect it', async () => {
    files = [send(Buffer.from(PNG, 'base64'))];
    const take = { ...task.take, model: { id: 'another-model' } };
    await expect(bench.run(bench.activities().media.storeOutput, { ...input(), take })).rejects.toMatchObject({
      type: 'OutputOfOtherKind',
      nonRetryable: true,
      message: expect.stringContaining('--output image'),
    });
  });

  it('parks the picture of a model that is known to make clips, after some tries', async () => {
    files = [send(Buffer.from(PNG, 'base64'))];
    await expect(persist()).rejects.toMatchObject({
      type: 'OutputUnusable',
      message: 'the output is image, and video was expected',
    });
    expect(fileRequests()).toHaveLength(8);
  });

  it('does not follow an address into a private network', async () => {
    address = () => 'http://169.254.169.254/latest/meta-data';
    await expect(storeOutput()).rejects.toMatchObject({ type: 'AddressRefused', nonRetryable: true });
    address = () => `${gateway.url}/files/clip.mp4`;
    files = [(_request, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end()];
    await expect(storeOutput()).rejects.toMatchObject({ type: 'AddressRefused', nonRetryable: true });
  });

  it('keeps a clip of another length and size than requested, and says so', async () => {
    await bench.close();
    bench = await startBench(gateway.url, 'key', oneShotFilm({ prompt: 'x', duration: 10, resolution: '720p' }));
    const answers = gateway.answer;
    gateway.answer = acceptAll();
    task = await acceptedTake(bench);
    gateway.answer = answers;
    expect((await storeOutput()).warnings).toEqual(['asked for 10 s, got 4.0 s', 'asked for 720p, got 854x480']);
  });

  it('waits if there is no address yet', async () => {
    const answers = gateway.answer;
    gateway.answer = (_request, response) =>
      json(response, 200, { status: 'success', response: { id: 'task-1', status: 'COMPLETED', result: {} } });
    await expect(storeOutput()).rejects.toMatchObject({ nonRetryable: false });
    gateway.answer = answers;
    expect((await storeOutput()).asset.sizeBytes).toBe(clip.length);
  });
});
