import { inspect } from 'node:util';
import { createRedact } from '../../gateway/redaction';
import { BETA, client, closeAll, errorOf, json, KEY, PAID, REQUEST, serve, serveTcp } from './servers';

afterEach(closeAll);

const BASE64 = 'iVBORw0KGgo'.repeat(40);
const ECHO = {
  error: `the key ${KEY} is wrong`,
  request: { headers: { Authorization: `Bearer ${KEY}`, 'x-other': 'Bearer eyJhbGciOi.other' } },
  startFrame: `data:image/png;base64,${BASE64}`,
  upload: 'https://user:hunter2@cdn.example/up/clip.mp4?X-Signature=f00d&Expires=1',
  encoded: encodeURIComponent(KEY),
};
const SECRETS = [KEY, encodeURIComponent(KEY), 'eyJhbGciOi', BASE64.slice(0, 100), 'hunter2', 'f00d', 'X-Signature'];

function expectNoSecret(value: unknown): void {
  const texts = [
    inspect(value, { depth: 20, showHidden: true, getters: true }),
    JSON.stringify(value) as string | undefined,
    value instanceof Error ? `${value.message} ${value.stack ?? ''}` : '',
  ];
  for (const text of texts) for (const secret of SECRETS) expect(text ?? '').not.toContain(secret);
}

it('no error contains a secret although the gateway echoes all it was sent', async () => {
  const { url } = await serve((request, response) => {
    const isRead = request.method === 'GET';
    json(response, ECHO, request.path.includes('execute') ? 200 : isRead ? 500 : 422, { 'x-echo': KEY });
  });
  const gateway = client(url);
  const errors = [
    await errorOf(gateway.submit(REQUEST, PAID)),
    await errorOf(gateway.execute(REQUEST, PAID)),
    await errorOf(gateway.read({ taskId: 't-1', model: BETA })),
  ];
  for (const error of errors) {
    expectNoSecret(error);
    expect(error.body).toContain('is wrong');
    expect(error.body).toContain('https://[removed]@cdn.example/up/clip.mp4?[removed]');
  }
});

it('the stored result contains no key, although the address by which it is downloaded does', async () => {
  const address = `https://cdn.example/clip.mp4?key=${encodeURIComponent(KEY)}`;
  const result = { url: address, text: `rendered for ${KEY}`, note: `by ${KEY}` };
  const { url } = await serve((_, response) => {
    json(response, { status: 'success', response: { id: 't-1', status: 'COMPLETED', result } });
  });
  for (const reading of [
    await client(url).read({ taskId: 't-1', model: BETA }),
    await client(url).execute(REQUEST, PAID),
  ]) {
    if (reading.state !== 'completed') throw new Error(reading.state);
    expect(reading.result.url).toBe(address);
    const { raw, text } = reading.result;
    expect(text).toBe('rendered for [removed]');
    expect(raw).toEqual({ url: 'https://cdn.example/clip.mp4?key=[removed]', text, note: 'by [removed]' });
  }
});

it('a long text is searched once, although the result contains it twice', async () => {
  const long = 'a lamp on the pier '.repeat(10_000);
  const { url } = await serve((_, response) => {
    json(response, { status: 'success', response: { id: 't-1', status: 'COMPLETED', result: { text: long } } });
  });
  // Each search converts the text to lower case.
  const lower = jest.spyOn(String.prototype, 'toLowerCase');
  const reading = await client(url).read({ taskId: 't-1', model: BETA });
  const searches = lower.mock.contexts.filter((text) => String(text) === long).length;
  lower.mockRestore();
  expect(searches).toBe(1);
  expect(reading).toMatchObject({ result: { text: long, raw: { text: long } } });
});

it('a key that is a word is not removed from a result with that word', async () => {
  const result = { text: 'A day in the sandbox.' };
  const { url } = await serve((_, response) => {
    json(response, { status: 'success', response: { id: 't-1', status: 'COMPLETED', result } });
  });
  const gateway = client(url, { apiKey: 'sandbox' });
  expect(await gateway.read({ taskId: 't-1', model: BETA })).toMatchObject({
    result: { text: result.text, raw: result },
  });
});

it('no error holds a secret where the answer is not HTTP', async () => {
  const { url } = await serveTcp((socket) => socket.once('data', () => socket.end(`${KEY} Bearer ${KEY}\r\n`)));
  expectNoSecret(await errorOf(client(url).submit(REQUEST, PAID)));
});

it('the client holds no secret that a log could show', () => {
  const gateway = client('https://gateway.example');
  expectNoSecret(gateway);
  expect(Object.keys(gateway)).toEqual(['origin', 'submit', 'execute', 'read', 'close']);
});

it('the reading of a FAILED task holds no secret', async () => {
  const { url } = await serve((_, response) => {
    json(response, { status: 'success', response: { id: 't-1', status: 'FAILED', ...ECHO } });
  });
  const reading = await client(url).read({ taskId: 't-1', model: BETA });
  expect(reading).toMatchObject({ state: 'failed', message: 'the key [removed] is wrong' });
  expectNoSecret(reading);
});

it('the reason of a FAILED task is bounded, and a key across the cut is removed completely', async () => {
  const around = (before: number) => `${'m '.repeat(before / 2)}${KEY}${' m'.repeat(5_000)}`;
  const error = { code: around(94), message: around(994) };
  const { url } = await serve((_, response) => {
    json(response, { status: 'success', response: { id: 't-1', status: 'FAILED', error } });
  });
  const reading = await client(url).read({ taskId: 't-1', model: BETA });
  if (reading.state !== 'failed') throw new Error('expected a failed task');
  expect(reading.code).toBe(`${'m '.repeat(47)}[remov…`);
  expect(reading.message).toBe(`${'m '.repeat(497)}[remov…`);
});

it('a status that echoes the key is shown without it', async () => {
  const { url } = await serve((_, response) => {
    json(response, { status: `error at ${' '.repeat(20)}${KEY}` });
  });
  const error = await errorOf(client(url).submit(REQUEST, PAID));
  expect(error.message).toContain('[removed]');
  expect(error.message).not.toContain(KEY.slice(0, 4));
});

it('an error of a large body stays small', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(500).end('wide load '.repeat(1_000_000));
  });
  expect((await errorOf(client(url).submit(REQUEST, PAID))).body.length).toBeLessThan(2_100);
});

describe('the removal of secrets', () => {
  const redact = createRedact(KEY);

  it.each([
    ['Bearer abcdef.ghi', 'Bearer [removed]'],
    ['{"authorization":"Token abc123"}', '{"authorization":"[removed]"}'],
    ['{\\"Authorization\\":\\"Bearer abc123\\"}', '{\\"Authorization\\":\\"[removed]\\"}'],
    ['authorization: Basic dXNlcg==', 'authorization: [removed]'],
    ['https://a.example/x.png?sig=1#frag', 'https://a.example/x.png?[removed]'],
    ['https:\\/\\/a.example\\/x.png?sig=1', 'https:\\/\\/a.example\\/x.png?[removed]'],
  ])('reads %p as %p', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it.each([
    'The bearer token is missing',
    'prompt must have at most 5000 characters?',
    'see https://docs.example/errors/42',
    'task 0b7c2f9e-6f6b-4b0e-9c9a-2f7d4a1f0e11 not found',
    `sha256 ${'0123456789abcdef'.repeat(4)}`,
  ])('leaves %p as it is', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('finds a key with regular expression characters, and one at the edge of the excerpt', () => {
    expect(createRedact('$&+(a').call(undefined, 'x $&+(a y')).toBe('x [removed] y');
    expect(redact(`${'.'.repeat(1_990)}${KEY}`)).not.toContain(KEY.slice(0, 8));
    expect(redact(`${'.'.repeat(16_380)}${KEY}`, 20_000)).not.toContain(KEY.slice(0, 4));
  });

  it('ends on texts made to be slow', () => {
    for (const text of ['https://', 'authorization: ', 'bearer ', 'A']) {
      expect(redact(text.repeat(500_000)).length).toBeLessThan(2_100);
    }
  });
});
