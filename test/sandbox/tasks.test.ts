import { setTimeout as delay } from 'node:timers/promises';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { TASK_STATES } from '../../contracts/gateway/wire';
import { LAST_FRAME_PLACES, type LastFramePlace } from '../../sandbox';
import { createFaults } from '../../sandbox/faults/create-faults';
import { answerRun } from '../../sandbox/http/answer-run';
import { type AppOptions } from '../../sandbox/http/app-options';
import { type WireContext } from '../../sandbox/http/wire-context';
import { PAINTED } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { CLIP, closeNow, download, errorOf, finish, IMAGE, post, read, request, sandbox, submit, watch } from './rig';

describe('a task', () => {
  it('passes its states in order and never goes back', async () => {
    const server = await sandbox({ renderSeconds: 0.4 });
    const states = (await watch(server, await submit(server, 'beta-2.5', CLIP))).map(({ status }) => status);
    const order = states.map((state) => TASK_STATES.indexOf(state));
    expect(order).toEqual([...order].sort());
    expect(states).toContain('IN_PROGRESS');
    expect(states.at(-1)).toBe('COMPLETED');
  });

  it('waits as ACCEPTED while every core renders for others', async () => {
    const server = await sandbox();
    const clips = Array.from({ length: availableParallelism() + 1 }, () => submit(server, 'beta-2.5', CLIP));
    await Promise.all(clips);
    const last = await watch(server, server.tasks().at(-1)!.id);
    expect(last[0]).toMatchObject({ status: 'ACCEPTED' });
    const started = server.tasks().map(({ startedAt }) => startedAt ?? 'never');
    expect(started).toEqual([...started].sort());
  });

  it('reports its charge when it ends, and not before', async () => {
    const server = await sandbox({ renderSeconds: 0.3 });
    const seen = await watch(server, await submit(server, IMAGE.model, IMAGE.params));
    expect(seen.at(-1)).toMatchObject({ usage: { credits: 3 } });
    for (const before of seen.slice(0, -1)) expect(before).not.toHaveProperty('usage');
  });

  it('that fails says so, and is charged', async () => {
    const server = await sandbox({ faults: { failedShare: 1 } });
    const task = await finish(server, await submit(server, IMAGE.model, IMAGE.params));
    expect(task).toMatchObject({ status: 'FAILED', error: { code: 'internal_error' }, usage: { credits: 3 } });
    expect(task).not.toHaveProperty('result');
  });
});

describe('the charge', () => {
  it.each([
    ['alpha-3.0-video', { resolution: '480P' }, 20],
    ['alpha-3.0-video', { resolution: '720P', duration: 10 }, 80],
    ['alpha-3.0-video', { duration: -1 }, 96],
    ['beta-2.5', { prompt: 'x', resolution: '480p', duration: 4 }, 20],
    ['beta-2.5', { prompt: 'x', duration: 30 }, 600],
  ])('of %s with %j is %i credits', async (model, params, credits) => {
    const server = await sandbox({ faults: { failedShare: 1 } });
    await submit(server, model, params);
    expect(server.tasks()).toMatchObject([{ model, credits }]);
  });

  it('is made for each accepted POST, including a repeated one', async () => {
    const server = await sandbox();
    const key = { 'idempotency-key': 'take-1' };
    const one = await submit(server, IMAGE.model, IMAGE.params, key);
    const other = await submit(server, IMAGE.model, IMAGE.params, key);
    expect(one).not.toBe(other);
    expect(server.tasks()).toMatchObject([
      { id: one, credits: 3, idempotencyKey: 'take-1' },
      { id: other, credits: 3, idempotencyKey: 'take-1' },
    ]);
  });

  it('is made once for an Idempotency-Key if the sandbox honours it', async () => {
    const server = await sandbox({ honourIdempotencyKey: true });
    const key = { 'idempotency-key': 'take-1' };
    const one = await submit(server, IMAGE.model, IMAGE.params, key);
    expect(await submit(server, IMAGE.model, IMAGE.params, key)).toBe(one);
    expect(server.tasks()).toHaveLength(1);
    const params = { ...IMAGE.params, prompt: 'another' };
    const conflict = await post(server, '/workflows/v1/models/submit', { params: { ...IMAGE, params } }, key);
    expect(conflict.status).toBe(409);
  });

  it('is made once for two requests at once with the same Idempotency-Key', async () => {
    const accepted: object[] = [];
    const runner = {
      findByKey: () => accepted[0],
      list: () => [],
      accept: ({ model, ...rest }: { model: { id: string } }) => {
        accepted.push({ ...rest, id: `task-${accepted.length}`, model: model.id });
        return Promise.resolve(accepted.at(-1));
      },
    };
    const fileValues = { storeDataUris: (_model: unknown, parameters: object) => Promise.resolve(parameters) };
    const options = { runner, faults: createFaults(), fileValues, honourIdempotencyKey: true } as unknown as AppOptions;
    const header = (name: string): string => (name === 'content-type' ? 'application/json' : 'take-1');
    const json = () => Promise.resolve({ params: IMAGE });
    const req = { path: '/workflows/v1/models/submit', header, json };
    const context = { req, var: {}, json: (body: unknown) => body } as unknown as WireContext;
    const [one, other] = await Promise.all([answerRun(context, options), answerRun(context, options)]);
    expect(accepted).toHaveLength(1);
    expect(one).toEqual(other);
  });
});

describe("the accountant's view", () => {
  it('lists every accepted POST', async () => {
    const server = await sandbox();
    const id = await submit(server, IMAGE.model, IMAGE.params);
    await finish(server, id);
    await post(server, '/workflows/v1/models/submit', { params: { model: 'beta-2.5', params: {} } });
    await post(server, '/workflows/quill/v1/text/execute', { params: { model: 'quill-text-1', prompt: 'x' } });

    const { body } = await request(`${server.url}/sandbox/tasks`);
    expect(body).toEqual({ tasks: server.tasks() });
    expect(server.tasks()).toMatchObject([
      { id, model: 'pixel-image-1', workflow: 'pixel/v1/image', mode: 'submit', state: 'COMPLETED' },
      { model: 'quill-text-1', workflow: 'quill/v1/text', mode: 'execute', state: 'COMPLETED' },
    ]);
    const [{ acceptedAt, startedAt, finishedAt } = { acceptedAt: '', startedAt: '', finishedAt: '' }] = server.tasks();
    const times = [acceptedAt, startedAt, finishedAt];
    expect(times).toEqual([...times].sort());
    expect(await request(`${server.url}/sandbox/health`)).toMatchObject({ status: 200 });
  });
});

describe('execute', () => {
  it('gives up at its limit with 504 while the task continues and is charged', async () => {
    const server = await sandbox({ executeLimitMs: 50, renderSeconds: 0.5 });
    const answer = await post(server, '/workflows/v1/models/execute', { params: IMAGE });
    expect(answer.status).toBe(504);
    expect(errorOf(answer)).toMatchObject({ code: 'execute_timeout' });
    const [task] = server.tasks();
    expect(task).toMatchObject({ mode: 'execute', credits: 3 });
    expect(JSON.stringify(answer.body)).not.toContain(task!.id);
    expect(await finish(server, task!.id)).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('a restart', () => {
  it('forgets no task, and renders what was under way again under its id', async () => {
    const folder = await temporaryFolder();
    const first = await sandbox({ folder, ...PAINTED });
    const image = await submit(first, IMAGE.model, IMAGE.params);
    const imageBytes = await download((await finish(first, image)).result!.url!);
    const clip = await submit(first, 'beta-2.5', CLIP);
    while ((await read(first, clip)).status === 'ACCEPTED') await delay(10);
    await closeNow(first);

    const second = await sandbox({ folder, ...PAINTED });
    expect(second.tasks().map(({ id }) => id)).toEqual([image, clip]);
    const seen = await watch(second, clip);
    expect(seen[0]?.status).toBe('IN_PROGRESS');
    expect(seen.at(-1)?.status).toBe('COMPLETED');

    const { result } = await read(second, image);
    expect(result!.url).toContain(second.url);
    expect((await download(result!.url!)).equals(imageBytes)).toBe(true);
    expect(second.tasks().map(({ credits }) => credits)).toEqual([3, 20]);
  });

  it('survives a journal whose last line is truncated', async () => {
    const folder = await temporaryFolder();
    const first = await sandbox({ folder });
    const id = await submit(first, IMAGE.model, IMAGE.params);
    await finish(first, id);
    await closeNow(first);
    const journal = join(folder, 'tasks.jsonl');
    await writeFile(journal, `${await readFile(journal, 'utf8')}{"id":"half`);

    const second = await sandbox({ folder });
    const next = await submit(second, IMAGE.model, IMAGE.params);
    await finish(second, next);
    await closeNow(second);
    expect((await sandbox({ folder })).tasks()).toMatchObject([
      { id, state: 'COMPLETED' },
      { id: next, state: 'COMPLETED' },
    ]);
  });

  it('is refused on a port that is taken', async () => {
    const { port } = await sandbox();
    await expect(sandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the last frame', () => {
  const places: Record<LastFramePlace, (address: string) => Record<string, unknown>> = {
    lastFrame: (address) => ({ lastFrame: address }),
    'lastFrame.url': (address) => ({ lastFrame: { url: address } }),
    lastFrameUrl: (address) => ({ lastFrameUrl: address }),
    last_frame: (address) => ({ last_frame: address }),
    'last_frame.url': (address) => ({ last_frame: { url: address } }),
    last_frame_url: (address) => ({ last_frame_url: address }),
    items: (address) => ({ items: [{}, { url: address }] }),
    none: () => ({ items: [{}] }),
  };

  it('is where the sandbox is told to put it', async () => {
    const folder = await temporaryFolder();
    const first = await sandbox({ folder });
    const id = await submit(first, 'beta-2.5', { ...CLIP, returnLastFrame: true });
    await finish(first, id);
    await closeNow(first);

    for (const lastFramePlace of LAST_FRAME_PLACES) {
      const server = await sandbox({ folder, lastFramePlace });
      const { result } = await read(server, id);
      const address = `${server.url}/files/${id}/last-frame.png`;
      expect(result).toMatchObject(places[lastFramePlace](address));
      expect(JSON.stringify(result).includes('last-frame.png')).toBe(lastFramePlace !== 'none');
      expect((await download(address)).toString('latin1', 1, 4)).toBe('PNG');
    }
  });

  it('is missing if it was not requested', async () => {
    const server = await sandbox();
    const { result } = await finish(server, await submit(server, 'beta-2.5', CLIP));
    expect(Object.keys(result!).sort()).toEqual(['items', 'model', 'url']);
    expect(await request(result!.url!.replace('video.mp4', 'last-frame.png'))).toMatchObject({ status: 404 });
  });
});
