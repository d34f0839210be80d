import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataUri, silence } from './media-files';
import { errorOf, finish, IMAGE, post, read, request, sandbox, submit } from './rig';

/** A whole PNG of one pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const CHEAP_CLIP = { model: 'beta-2.5', prompt: 'x', duration: 4, resolution: '480p' };

describe('addresses', () => {
  it('takes a model by its id on the unified addresses', async () => {
    const server = await sandbox();
    const submitted = await post(server, '/workflows/v1/models/submit', { params: IMAGE });
    expect(submitted).toMatchObject({ status: 200, body: { status: 'success' } });
    const { response } = submitted.body as { response: { id: string } };
    expect(Object.keys(submitted.body as object)).toEqual(['status', 'response']);
    expect(Object.keys(response)).toEqual(['id']);
    expect(await finish(server, response.id)).toMatchObject({
      id: response.id,
      status: 'COMPLETED',
      result: { model: 'pixel-image-1', items: [{}] },
      usage: { credits: 3 },
    });
    expect((await post(server, '/workflows/v1/models/execute', { params: IMAGE })).body).toMatchObject({
      status: 'success',
      response: { status: 'COMPLETED', result: { model: 'pixel-image-1' }, usage: { credits: 3 } },
    });
  });

  it('accepts a workflow whose name contains slashes, with the parameters beside the model', async () => {
    const server = await sandbox();
    const params = { model: 'quill-text-1', prompt: 'a fox' };
    const executed = await post(server, '/workflows/quill/v1/text/execute', { params });
    expect(executed.body).toMatchObject({ response: { status: 'COMPLETED', usage: { credits: 1 } } });
    const submitted = await post(server, '/workflows/quill/v1/text/submit', { params });
    const { id } = (submitted.body as { response: { id: string } }).response;
    await finish(server, id);
    const { body } = await request(`${server.url}/workflows/quill/v1/text/${id}/result`);
    const { response } = executed.body as { response: { result: unknown } };
    expect(body).toMatchObject({ response: { id, status: 'COMPLETED', result: response.result } });
    expect(response.result).toMatchObject({ text: expect.stringContaining('a fox') as string, model: 'quill-text-1' });
  });

  it('shows a task under its own workflow only', async () => {
    const server = await sandbox();
    const id = await submit(server, IMAGE.model, IMAGE.params);
    expect(await request(`${server.url}/workflows/pixel/v1/image/${id}/result`)).toMatchObject({ status: 200 });
    const elsewhere = await request(`${server.url}/workflows/beta/${id}/result`);
    expect(elsewhere.status).toBe(404);
    expect(errorOf(elsewhere)).toMatchObject({ code: 'unknown_task' });
  });

  it('answers 404 for what it does not know, and names what it knows', async () => {
    const server = await sandbox();
    expect(await request(`${server.url}/workflows/v1/models/nobody/result`)).toMatchObject({ status: 404 });
    const workflow = await post(server, '/workflows/gamma/submit', { params: { model: 'gamma' } });
    expect(workflow.status).toBe(404);
    expect(errorOf(workflow).message).toContain('alpha/v3/video');
    expect(await post(server, '/workflows/beta', {})).toMatchObject({ status: 404 });
    expect(await request(`${server.url}/elsewhere`)).toMatchObject({ status: 404, body: { status: 'error' } });
  });
});

describe('the key', () => {
  it.each(['submit', 'execute'])('is needed for %s', async (mode) => {
    const server = await sandbox();
    for (const authorization of ['', 'Bearer ', 'Basic abc']) {
      const answer = await post(server, `/workflows/v1/models/${mode}`, { params: IMAGE }, { authorization });
      expect(answer).toMatchObject({ status: 401, body: { status: 'error' } });
    }
    expect(server.tasks()).toEqual([]);
  });

  it('is needed for the result, and is never repeated', async () => {
    const server = await sandbox({ apiKey: 'secret-key' });
    const known = { authorization: 'Bearer secret-key' };
    const id = await submit(server, IMAGE.model, IMAGE.params, known);
    const address = `${server.url}/workflows/v1/models/${id}/result`;
    expect(await request(address, { headers: { authorization: 'Bearer another' } })).toMatchObject({ status: 401 });
    expect(await request(address, { headers: known })).toMatchObject({ status: 200 });
    expect(JSON.stringify(server.tasks())).not.toContain('secret-key');
  });
});

describe('a request that cannot be accepted', () => {
  it.each([
    ['another duration', { ...CHEAP_CLIP, duration: 31 }, /duration is 31, allowed is at most 30/],
    ['a fraction of a second', { ...CHEAP_CLIP, duration: 4.5 }, /duration is 4.5, allowed is a whole number/],
    ["the other model's spelling", { ...CHEAP_CLIP, resolution: '720P' }, /resolution is "720P", .* 480p, 720p, 1080p/],
    ["the other model's parameter", { ...CHEAP_CLIP, seed: 1 }, /no parameter seed, known are prompt, aspectRatio/],
    ['a slip of the case', { ...CHEAP_CLIP, aspectratio: '1:1' }, /no parameter aspectratio, did you mean aspectRatio/],
    ['another type', { ...CHEAP_CLIP, generateAudio: 'yes' }, /generateAudio is "yes", allowed is type boolean/],
    ['nothing where something is needed', { model: 'beta-2.5' }, /prompt is missing/],
    ['alpha: a duration in between', { model: 'alpha-3.0-video', duration: 7 }, /duration is 7, .* -1, 5, 10, 15, 30/],
    [
      'alpha: a seed too large',
      { model: 'alpha-3.0-video', seed: 2 ** 31 },
      /seed is 2147483648, .* at most 2147483647/,
    ],
    ['alpha: a prompt too long', { model: 'alpha-3.0-video', prompt: 'x'.repeat(5001) }, /at most 5000 characters/],
    ['an unknown model', { model: 'gamma-9' }, /no model gamma-9; known are alpha-3.0-video, beta-2.5/],
    ['a file value of no known form', { ...CHEAP_CLIP, startFrame: 'frame.png' }, /startFrame is neither/],
    [
      'a start frame that is no image',
      { ...CHEAP_CLIP, startFrame: 'data:image/png,hello' },
      /startFrame looks like text/,
    ],
    ['a reference of another kind', { ...CHEAP_CLIP, videoUrls: [PIXEL] }, /videoUrls.0 holds image\/png, not video/],
  ])('for %s is answered 400, says what is wrong, and costs nothing', async (_, { model, ...params }, message) => {
    const server = await sandbox();
    const answer = await post(server, '/workflows/v1/models/submit', { params: { model, params } });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toMatch(message);
    expect(server.tasks()).toEqual([]);
  });

  it('has all its errors reported at once', async () => {
    const answer = await post(await sandbox(), '/workflows/beta/submit', {
      params: { model: 'beta-2.5', duration: 3, resolution: '4k', sound: true },
    });
    const problems = errorOf(answer).problems?.map(({ parameter }) => parameter);
    expect(problems?.sort()).toEqual(['duration', 'prompt', 'resolution', 'sound']);
  });

  it('must name the model of its workflow', async () => {
    const server = await sandbox();
    const mismatch = await post(server, '/workflows/beta/submit', { params: { model: 'alpha-3.0-video' } });
    expect(mismatch.status).toBe(400);
    expect(errorOf(mismatch).message).toContain('alpha/v3/video');
    expect(await post(server, '/workflows/beta/submit', { params: { prompt: 'x' } })).toMatchObject({ status: 400 });
  });

  it('must be JSON of the right shape, and not too large', async () => {
    const server = await sandbox();
    const address = `${server.url}/workflows/v1/models/submit`;
    const plain = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' };
    expect(await request(address, plain)).toMatchObject({ status: 415 });
    const broken = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' };
    expect(await request(address, broken)).toMatchObject({ status: 400 });
    const flat = await post(server, '/workflows/v1/models/submit', { params: { model: 'beta-2.5', prompt: 'x' } });
    expect(flat.status).toBe(400);
    expect(errorOf(flat).message).toContain('"params"');
    const large = await post(server, '/workflows/v1/models/submit', { params: 'x'.repeat(33 * 1024 * 1024) });
    expect(large.status).toBe(413);
    expect(server.tasks()).toEqual([]);
  });
});

it('a client that sends a too large body slowly can read the refusal', async () => {
  const { hostname, port } = new URL((await sandbox()).url);
  const half = Buffer.alloc(17 * 1024 * 1024, 'x');
  const head =
    'POST /workflows/v1/models/submit HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a-key\r\n' +
    `Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${2 * half.length}\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  socket.write(head);
  socket.write(half);
  // Longer than the server reads on after an answer that came before the end of the body.
  await sleep(1000);
  socket.write(half);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 413 /);
});

describe('files in a request', () => {
  it('may be 30 s long for beta, and longer for alpha', async () => {
    const server = await sandbox({ faults: { failedShare: 1 } });
    const audioUrls = [dataUri('audio/wav', await silence(31))];
    const tooLong = await post(server, '/workflows/beta/submit', { params: { ...CHEAP_CLIP, audioUrls } });
    expect(tooLong.status).toBe(400);
    expect(errorOf(tooLong).message).toBe('audioUrls.0 is 31.0 s long, allowed is at most 30 s.');
    const { model, ...params } = { ...CHEAP_CLIP, audioUrls: [dataUri('audio/wav', await silence(30))] };
    await submit(server, model, params);
    await submit(server, 'alpha-3.0-video', { audioUrls });
    expect(server.tasks()).toHaveLength(2);
  });

  it('are kept out of the record of the task', async () => {
    const server = await sandbox({ renderSeconds: 60 });
    const id = await submit(server, 'beta-2.5', { prompt: 'x', startFrame: PIXEL, imageUrls: [PIXEL] });
    expect(await read(server, id)).not.toHaveProperty('result');
    const [task] = server.tasks();
    expect(task?.parameters['startFrame']).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(task?.parameters['imageUrls']).toEqual([task?.parameters['startFrame']]);
  });
});
