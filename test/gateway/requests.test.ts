import { createGatewayClient, SUBMIT_TOTAL_MS } from '../../gateway';
import { resolveTimeouts } from '../../gateway/timeouts';
import { BETA, client, closeAll, errorOf, json, KEY, PAID, REQUEST, serve } from './servers';

afterEach(closeAll);

const ANSWER = { status: 'success', response: { id: 't-1', status: 'COMPLETED', result: {} } };
const recording = () =>
  serve((_, response) => {
    json(response, ANSWER);
  });

describe('the address of the gateway', () => {
  it('may have a path, with or without a slash at its end', async () => {
    const { url, host, seen } = await recording();
    for (const base of [`${url}/media/eu`, `${url}/media/eu/`]) {
      const gateway = client(base);
      expect(gateway.origin).toBe(`http://${host}`);
      await gateway.submit(REQUEST, PAID);
      await gateway.read({ taskId: 't-1', model: BETA });
    }
    expect(new Set(seen.map(({ path }) => path))).toEqual(
      new Set(['/media/eu/workflows/v1/models/submit', '/media/eu/workflows/v1/models/t-1/result']),
    );
  });

  it.each([
    ['no URL', 'gateway.example'],
    ['another scheme', 'ftp://gateway.example'],
    ['a password', 'https://user:hunter2@gateway.example'],
    ['a query', 'https://gateway.example/?token=hunter2'],
    ['a fragment', 'https://gateway.example/#hunter2'],
  ])('is refused with %s, without showing a secret', (_, baseUrl) => {
    const make = () => createGatewayClient({ baseUrl, apiKey: KEY });
    expect(make).toThrow(/^The gateway's address must/);
    expect(make).not.toThrow(/hunter2/);
  });
});

it.each(['', 'key\n', 'a key', 'clé'])('refuses the key %p, without showing it', (apiKey) => {
  const make = () => createGatewayClient({ baseUrl: 'https://gateway.example', apiKey });
  expect(make).toThrow("The gateway's key is empty or holds characters that a header cannot carry");
});

describe('what cannot be part of an address', () => {
  it.each([
    '',
    '/',
    'a//b',
    '../admin',
    'a/../b',
    'a/./b',
    'a?b',
    'a#b',
    'a b',
    'a%2fb',
    'a/',
    '/a',
    'é',
    'a'.repeat(201),
  ])('the workflow name %p is refused before anything is sent', async (workflow) => {
    const { url, seen } = await recording();
    const model = { id: 'm', workflow };
    const error = await errorOf(client(url).submit({ model, parameters: {} }, PAID));
    expect(error).toMatchObject({ kind: 'protocol', acceptance: 'no' });
    expect(error.message).toContain('cannot be part of an address');
    await errorOf(client(url).read({ taskId: 't-1', model }));
    expect(seen).toHaveLength(0);
  });

  it.each(['', '.', '..', 'x'.repeat(201), 'a\0'])(
    'the task id %p is refused before anything is sent',
    async (taskId) => {
      const { url, seen } = await recording();
      expect(await errorOf(client(url).read({ taskId, model: BETA }))).toMatchObject({ kind: 'protocol' });
      expect(seen).toHaveLength(0);
    },
  );

  it('a task id with special characters stays one segment', async () => {
    const { url, seen } = await serve((_, response) => {
      json(response, { status: 'success', response: { id: 'a/../b?c#d', status: 'ACCEPTED' } });
    });
    await client(url).read({ taskId: 'a/../b?c#d', model: BETA });
    expect(seen[0]!.path).toBe('/workflows/v1/models/a%2F..%2Fb%3Fc%23d/result');
  });
});

describe('a paid request', () => {
  it.each(['', 'a\r\nx: y', 'ä', 'x'.repeat(256)])(
    'is not sent with the idempotency key %p',
    async (idempotencyKey) => {
      const { url, seen } = await recording();
      expect(await errorOf(client(url).submit(REQUEST, { idempotencyKey }))).toMatchObject({ acceptance: 'no' });
      expect(seen).toHaveLength(0);
    },
  );

  it('is not sent if its parameters are not JSON', async () => {
    const { url, seen } = await recording();
    const request = { model: BETA, parameters: { seed: 1n } };
    expect(await errorOf(client(url).submit(request, PAID))).toMatchObject({ kind: 'protocol', acceptance: 'no' });
    expect(seen).toHaveLength(0);
  });

  it('names the paid model, whatever a parameter of that name says', async () => {
    const { url, seen } = await recording();
    const model = { id: 'beta-2.5', workflow: 'beta' };
    await client(url).submit({ model, parameters: { model: 'dearer-model', prompt: 'p' } }, PAID);
    expect(JSON.parse(seen[0]!.body)).toEqual({ params: { model: 'beta-2.5', prompt: 'p' } });
  });
});

describe('redirects', () => {
  it('are not followed by any call, and the key goes nowhere else', async () => {
    const target = await recording();
    const { url, seen } = await serve((request, response) => {
      response.writeHead(308, { location: `${target.url}${request.path}?sig=secret` }).end();
    });
    const gateway = client(url);
    const calls = [
      () => gateway.submit(REQUEST, PAID),
      () => gateway.execute(REQUEST, PAID),
      () => gateway.read({ taskId: 't-1', model: BETA }),
    ];
    for (const call of calls) {
      const error = await errorOf(call());
      expect(error).toMatchObject({ kind: 'response', status: 308 });
      expect(error.message).toContain(`points to ${target.url}/workflows/v1/models/`);
      expect(error.message).not.toContain('secret');
    }
    expect(seen).toHaveLength(3);
    expect(target.seen).toHaveLength(0);
  });
});

describe('time limits', () => {
  it('keep every paid call within the time after which an unfinished one is unclear', () => {
    expect(resolveTimeouts({ paidTotalMs: 1e9 }).paidTotalMs).toBe(SUBMIT_TOTAL_MS);
    expect(resolveTimeouts().paidTotalMs).toBe(SUBMIT_TOTAL_MS);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('are refused at %p', (connectMs) => {
    expect(() => resolveTimeouts({ connectMs })).toThrow('connectMs');
  });
});
