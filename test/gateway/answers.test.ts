import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { BETA, BUSY_MS, client, closeAll, errorOf, json, PAID, REQUEST, serve } from './servers';

afterEach(closeAll);

const answering = (body: unknown, status = 200) =>
  serve((_, response) => {
    if (typeof body === 'string') response.writeHead(status).end(body);
    else json(response, body, status);
  });

const TASK = { taskId: 't-1', model: BETA };
const read = async (body: unknown) => client((await answering(body)).url).read(TASK);
const submit = async (body: unknown, status = 200) => client((await answering(body, status)).url).submit(REQUEST, PAID);
const execute = async (body: unknown) => client((await answering(body)).url).execute(REQUEST, PAID);
const success = (response: unknown) => ({ status: 'success', response });

const UNREADABLE: [string, unknown][] = [
  ['nothing', ''],
  ['white space', ' \n'],
  ['HTML', '<html><body>Bad gateway</body></html>'],
  ['garbage', '\u0000\u0001\u0002'],
  ['half of an envelope', '{"status":"success","response":{"id":"t-'],
  ['a list', []],
  ['null', 'null'],
  ['a bare string', '"t-1"'],
  ['no response', { status: 'success' }],
  ['a response that is no object', success('t-1')],
  ['more than can be meant', success({ status: 'IN_PROGRESS', filler: 'x'.repeat(5_000_000) })],
];

describe('the answer to a submit', () => {
  it.each<[string, unknown, string]>([
    ['as specified', success({ id: 't-1' }), 't-1'],
    ['with an id that is a number', success({ id: 7 }), '7'],
    ['with an id and another status', { status: 'error', response: { id: 't-1' } }, 't-1'],
    ['with an id and no status', { response: { id: 't-1' } }, 't-1'],
    ['with more than the specification has', success({ id: 't-1', status: 'ACCEPTED', eta: 40 }), 't-1'],
  ])('%s is accepted', async (_, body, taskId) => {
    expect(await submit(body)).toEqual({ taskId });
  });

  it('is accepted at any status of success', async () => {
    expect(await submit(success({ id: 't-1' }), 202)).toEqual({ taskId: 't-1' });
  });

  it.each(UNREADABLE)('is unclear when it holds %s', async (_, body) => {
    expect(await errorOf(submit(body))).toMatchObject({ kind: 'protocol', status: 200, acceptance: 'unclear' });
  });

  it('is unclear at 204', async () => {
    expect(await errorOf(submit('', 204))).toMatchObject({ kind: 'protocol', status: 204, acceptance: 'unclear' });
  });

  it('is unclear when the envelope says error and shows no id', async () => {
    const error = await errorOf(submit({ status: 'error', response: {}, message: 'no credits left' }));
    expect(error).toMatchObject({ kind: 'protocol', acceptance: 'unclear' });
    expect(error.message).toBe(
      'POST /workflows/v1/models/submit answered a submit with an envelope whose status is "error", without a task id',
    );
    expect(error.body).toContain('no credits left');
  });

  it.each(['', '.', '..', 'x'.repeat(201), 'a\nb', 'a\ud800b', {}, null])(
    'is unclear when the id %p cannot be part of an address',
    async (id) => {
      expect(await errorOf(submit(success({ id })))).toMatchObject({ kind: 'protocol', acceptance: 'unclear' });
    },
  );
});

describe('an answer that is compressed without a request for it', () => {
  const ACCEPTED = Buffer.from(JSON.stringify(success({ id: 't-1' })));
  const BOMB = gzipSync(Buffer.from(JSON.stringify({ ...success({ id: 't-1' }), filler: 'x'.repeat(50_000_000) })));

  const coded = async (coding: string | string[], body: Buffer, status = 200) => {
    const { url, seen } = await serve((_, response) => {
      response.statusCode = status;
      response.setHeader('content-encoding', coding).end(body);
    });
    return { seen, submitted: client(url).submit(REQUEST, PAID) };
  };

  it.each<[string, string | string[], Buffer]>([
    ['gzip', 'gzip', gzipSync(ACCEPTED)],
    ['gzip by its old name, in capitals', 'X-GZIP', gzipSync(ACCEPTED)],
    ['gzip without its last bytes', 'gzip', gzipSync(ACCEPTED).subarray(0, -8)],
    ['deflate', 'deflate', deflateSync(ACCEPTED)],
    ['deflate without a header', 'deflate', deflateRawSync(ACCEPTED)],
    ['br', 'br', brotliCompressSync(ACCEPTED)],
    ['br over gzip', 'gzip, br', brotliCompressSync(gzipSync(ACCEPTED))],
    ['br over gzip, in two headers', ['gzip', 'br'], brotliCompressSync(gzipSync(ACCEPTED))],
    ['plain under a header that says gzip', 'gzip', ACCEPTED],
    ['plain under a header that names no coding', 'utf-8', ACCEPTED],
    ['identity', 'identity', ACCEPTED],
  ])('is read: %s', async (_, coding, body) => {
    const { seen, submitted } = await coded(coding, body);
    expect(await submitted).toEqual({ taskId: 't-1' });
    expect(seen[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' });
  });

  it.each<[string, string, Buffer]>([
    ['half of one', 'gzip', gzipSync(ACCEPTED).subarray(0, 30)],
    ['one in a coding that is not known', 'zstd', gzipSync(ACCEPTED)],
    ['one with too many layers', 'gzip, gzip, gzip, gzip', gzipSync(ACCEPTED)],
    ['one that decodes to too many bytes', 'gzip', BOMB],
    ['such a one within another', 'gzip, gzip', gzipSync(BOMB)],
  ])('is unclear: %s', async (_, coding, body) => {
    const { submitted } = await coded(coding, body);
    expect(await errorOf(submitted)).toMatchObject({ kind: 'protocol', status: 200, acceptance: 'unclear' });
  });

  it('shows why it was refused, within bounds', async () => {
    const reason = Buffer.from(JSON.stringify({ message: 'no such voice', filler: 'x'.repeat(50_000_000) }));
    const error = await errorOf((await coded('gzip', gzipSync(reason), 422)).submitted);
    expect(error).toMatchObject({ kind: 'response', status: 422, acceptance: 'no' });
    expect(error.body).toContain('no such voice');
    expect(error.body.length).toBeLessThan(100_000);
  });
});

describe('the answer to a read', () => {
  it.each([
    ['ACCEPTED', true],
    ['IN_PROGRESS', true],
    ['QUEUED', false],
    ['COMPLETED_WITH_WARNINGS', false],
  ])('is pending at %s', async (status, known) => {
    expect(await read(success({ id: 't-1', status }))).toEqual({ state: 'pending', status, known });
  });

  it('is completed, with result and credits', async () => {
    const result = { url: 'https://cdn.example/clip.mp4', model: 'beta-2.5' };
    expect(await read(success({ id: 't-1', status: 'COMPLETED', result, usage: { credits: 40 } }))).toMatchObject({
      state: 'completed',
      result: { url: 'https://cdn.example/clip.mp4', model: 'beta-2.5', raw: result },
      credits: 40,
    });
  });

  it('is completed without an address and without credits', async () => {
    expect(await read(success({ id: 't-1', status: 'completed' }))).toMatchObject({
      state: 'completed',
      result: { url: null, files: [] },
      credits: null,
    });
  });

  it.each<[string, unknown]>([
    ['as specified', success({ id: 't-1', status: 'FAILED' })],
    ['in an envelope of error', { status: 'error', response: { id: 't-1', status: 'FAILED' } }],
    ['with a result all the same', success({ id: 't-1', status: 'FAILED', result: { url: 'https://a.example/x' } })],
    ['without an id', success({ status: 'failed', error: 'odd' })],
  ])('is failed, for good, %s', async (_, body) => {
    expect(await read(body)).toMatchObject({ state: 'failed', raw: JSON.stringify(body) });
  });

  it('shows why a task failed, in bounds', async () => {
    const error = { code: 'unsafe', message: 'the prompt is refused' };
    const body = success({ id: 't-1', status: 'FAILED', error, usage: { credits: 3 }, trace: 'x '.repeat(50_000) });
    const reading = await read(body);
    expect(reading).toMatchObject({ state: 'failed', ...error, credits: 3 });
    expect((reading as { raw: string }).raw.length).toBeLessThan(10_000);
  });

  it.each([
    ...UNREADABLE,
    ["another task's id", success({ id: 't-2', status: 'COMPLETED', result: {} })],
    ["another task's failure", success({ id: 't-2', status: 'FAILED' })],
    ['a status other than success', { status: 'error', response: { id: 't-1', status: 'COMPLETED' } }],
    ['no task status', success({ id: 't-1' })],
  ])('is a protocol error when it holds %s', async (_, body) => {
    expect(await errorOf(read(body))).toMatchObject({ kind: 'protocol', status: 200, acceptance: 'yes' });
  });

  it.each([401, 404, 410, 500])('decides nothing about the task at %i', async (status) => {
    const { url } = await answering({ status: 'error' }, status);
    expect(await errorOf(client(url).read(TASK))).toMatchObject({ kind: 'response', status, acceptance: 'yes' });
  });

  it('is given up when it takes too long, even if bytes keep coming', async () => {
    const { url } = await serve((_, response) => {
      const drip = setInterval(() => response.write(' '), 50);
      response.on('close', () => {
        clearInterval(drip);
      });
    });
    const error = await errorOf(client(url, { timeouts: { readTotalMs: 300 } }).read(TASK));
    expect(error).toMatchObject({ kind: 'timeout', status: 200, acceptance: 'yes' });
  });
});

describe('the answer to an execute', () => {
  it('is completed, with or without an id', async () => {
    const result = { text: 'a poem' };
    expect(await execute(success({ id: 't-1', status: 'COMPLETED', result, usage: { credits: 1 } }))).toMatchObject({
      state: 'completed',
      taskId: 't-1',
      result: { text: 'a poem' },
      credits: 1,
    });
    expect(await execute(success({ status: 'COMPLETED', result }))).toMatchObject({ state: 'completed', taskId: null });
  });

  it('is failed if the task failed', async () => {
    expect(await execute(success({ id: 't-1', status: 'FAILED' }))).toMatchObject({ state: 'failed', taskId: 't-1' });
  });

  it.each<[string, unknown]>([
    ['IN_PROGRESS', success({ id: 't-1', status: 'IN_PROGRESS' })],
    ['nothing but an id', { status: 'error', response: { id: 't-1' } }],
  ])('can be awaited like a submitted task when it holds %s', async (_, body) => {
    expect(await execute(body)).toMatchObject({ state: 'pending', taskId: 't-1' });
  });

  it.each([
    ...UNREADABLE,
    ['an error without an id', { status: 'error', response: { status: 'COMPLETED' } }],
    ['neither an end nor an id', success({ status: 'IN_PROGRESS' })],
  ])('is unclear when it holds %s', async (_, body) => {
    expect(await errorOf(execute(body))).toMatchObject({ kind: 'protocol', acceptance: 'unclear' });
  });

  it('is unclear when it does not come within the limit', async () => {
    const { url, seen } = await serve(() => undefined);
    const gateway = client(url, { timeouts: { paidTotalMs: BUSY_MS } });
    expect(await errorOf(gateway.execute(REQUEST, PAID))).toMatchObject({ kind: 'timeout', acceptance: 'unclear' });
    expect(seen).toHaveLength(1);
  });
});
