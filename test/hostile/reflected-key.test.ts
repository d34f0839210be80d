import fc from 'fast-check';
import { createRedact, createRemoveKey } from '../../gateway/redaction';
import { type ActivityBench, oneShotFilm, startBench } from '../support/activity-bench';
import { filesIn } from '../support/files-in';
import { json, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Has slashes and a plus to be escaped; without them it could be part of a host. */
const KEY = 'sk-live-4f/9Qx+7Tz_2mV8Lr0.bN5';

/** Spellings of an echoed text: those of server frameworks, and those of an attacker. */
const CODINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in upper case': (text) => text.toUpperCase(),
  'in JSON': (text) => JSON.stringify(text),
  'in JSON with escaped slashes': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  'in JSON, as code points': (text) => each(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'in JSON within JSON': (text) => JSON.stringify(JSON.stringify(text).replaceAll('/', '\\/')),
  'for JavaScript': (text) => each(text, (code) => `\\x${code.toString(16)}`),
  'for an address': encodeURIComponent,
  'for an address, in lower case': (text) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  'for an address, each character': (text) => each(text, (code) => `%${code.toString(16)}`),
  'for an address, twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in HTML, by names': (text) => text.replaceAll('/', '&sol;').replaceAll('+', '&plus;').replaceAll('_', '&lowbar;'),
  'in HTML, by numbers': (text) => each(text, (code) => `&#${code};`),
  'in HTML, by hexadecimal numbers': (text) => text.replaceAll('/', '&#x2F;').replaceAll('+', '&#x2b;'),
  'in quoted-printable': (text) => each(text, (code) => `=${code.toString(16).toUpperCase()}`),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  'in base64 over several lines': (text) =>
    (
      Buffer.from(text)
        .toString('base64')
        .match(/.{1,20}/g) ?? []
    ).join('\r\n'),
  'in base64 of something longer': (text) => Buffer.from(`user:${text}:and more`).toString('base64'),
  'in base64 within base64': (text) => Buffer.from(`x${Buffer.from(text).toString('base64')}`).toString('base64'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
};

function each(text: string, write: (code: number) => string): string {
  return Array.from(text, (character) => write(character.charCodeAt(0))).join('');
}

describe('the key in foreign text', () => {
  it.each(Object.entries(CODINGS))('is removed if it is %s, complete or truncated', (_, write) => {
    for (const part of [KEY, KEY.slice(0, 12), KEY.slice(-12), KEY.slice(7, 21)]) {
      const echoed = `no such account: "${write(part)}", sorry`;
      for (const clean of [createRedact(KEY)(echoed), createRemoveKey(KEY)(echoed)]) {
        expect(clean).toMatch(/^no such account: .*\[removed\]/s);
        expect(clean).not.toContain(write(part));
        expect(clean).toMatch(/sorry$/);
      }
    }
  });

  it('is removed in every spelling, and nothing else is', () => {
    const characters = fc.constantFrom(...Array.from('abcdefghijkmnXYZ0123456789-_./+~:@!'));
    const key = fc.array(characters, { minLength: 16, maxLength: 64 }).map((list) => list.join(''));
    const codings = fc.array(fc.constantFrom(...Object.values(CODINGS).slice(2)), { minLength: 1, maxLength: 2 });
    const cut = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(key, codings, cut, (secret, writes, [from, length]) => {
        const start = Math.floor(from * (secret.length - 12));
        const part = secret.slice(start, start + 12 + Math.floor(length * (secret.length - start - 12)));
        const written = writes.reduce((text, write) => write(text), part);
        const clean = createRemoveKey(secret)(`(${written}) is refused`);
        expect(clean).not.toContain(written);
        expect(clean).toMatch(/^\(.*\[removed\].*\) is refused$/s);
      }),
      { numRuns: 300 },
    );
  });

  it('is not found in text that only resembles it', () => {
    const redact = createRedact(KEY);
    for (const text of ['sk-live-4f/ is the beginning of a key', 'Aladdin &amp; 40 thieves: 100%25', 'a\\nb']) {
      expect(redact(text)).toBe(text);
    }
  });

  it('does not keep a worker busy, whatever the text is made of', () => {
    const pieces = ['UFBQ', '%25', '\\\\u005c', '&amp;', 'sk-liv', 'ab ', 'QUFBQUFBQUFBQUFB ', '=\r\n'];
    for (const piece of pieces) {
      const begun = process.cpuUsage();
      createRemoveKey(KEY)(piece.repeat(500_000 / piece.length));
      const { user, system } = process.cpuUsage(begun);
      expect((user + system) / 1e6).toBeLessThan(2);
    }
  });
});

describe('a gateway that reflects the key', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;

  beforeEach(async () => {
    gateway = await startScriptedGateway();
    bench = await startBench(gateway.url, KEY, oneShotFilm());
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  const everySpelling = () => Object.fromEntries(Object.entries(CODINGS).map(([name, write]) => [name, write(KEY)]));

  /** No file or message has the key in any spelling. */
  function expectNoTrace(...said: unknown[]): void {
    const texts = { ...filesIn(bench.store.folder), said: said.map(inFull).join('\n') };
    for (const [place, text] of Object.entries(texts)) {
      for (const [name, spelling] of Object.entries(everySpelling())) {
        if (text.includes(spelling) || text.includes(JSON.stringify(spelling).slice(1, -1))) {
          throw new Error(`the key is in ${place} ${name}`);
        }
      }
    }
  }

  const inFull = (error: unknown): string =>
    error instanceof Error ? `${error.message}\n${error.stack ?? ''}\n${inFull(error.cause)}` : JSON.stringify(error);

  const submit = () => bench.run(bench.activities().submits.submitTask, bench.input);
  const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

  it('in the answer to a submit leaves it in neither ledger nor message', async () => {
    for (const [index, spelling] of Object.values(everySpelling()).entries()) {
      gateway.answer = (_, response) => json(response, index % 2 === 0 ? 400 : 500, { error: spelling });
      expectNoTrace(await outcomeOf(submit()));
    }
  });

  it('as a task id is treated like an answer without a task id', async () => {
    gateway.answer = (_, response) => json(response, 200, { status: 'success', response: { id: KEY } });
    const outcome = await outcomeOf(submit());
    expect(outcome).toMatchObject({ state: 'unclear' });
    expectNoTrace(outcome);
  });

  it('in part, as a task id that contains the account name too, loses no paid task', async () => {
    const taskId = `${KEY.slice(0, KEY.length / 2)}-task-00017`;
    gateway.answer = (_, response) => json(response, 200, { status: 'success', response: { id: taskId } });
    expect(await outcomeOf(submit())).toMatchObject({ state: 'accepted', taskId });
  });

  it('throughout the result and its address leaves it in neither ledger nor store, and the clip is collected', async () => {
    let ended = 'COMPLETED';
    gateway.answer = ({ method, path }, response) => {
      if (path.startsWith('/files')) return void response.setHeader('content-type', 'image/png').end(PNG);
      const id = 'task-1';
      if (method === 'POST') return json(response, 200, { status: 'success', response: { id } });
      const url = `${gateway.url}/files/${encodeURIComponent(KEY)}/picture.png`;
      const spellings = everySpelling();
      const result = { url, model: KEY, nested: [{ [KEY]: KEY, ...spellings }], text: Object.values(spellings).join() };
      const error = { code: KEY, message: Object.values(spellings).join(' ') };
      return json(response, 200, { status: 'success', response: { id, status: ended, result, error } });
    };
    const accepted = await submit();
    if (accepted.state !== 'accepted') throw new Error(accepted.state);
    const { take, taskId } = accepted;
    const task = { production: bench.production, take, taskId, acceptedAt: accepted.acceptedAt };
    const { polls, media } = bench.activities();
    const outcome = await bench.run(polls.awaitTask, { ...task, lastRead: false });
    const output = await bench.run(media.storeOutput, { ...task, output: 'image' });
    expect(output.asset).toMatchObject({ mediaType: 'image/png' });
    ended = 'FAILED';
    expectNoTrace(outcome, output, await outcomeOf(bench.gateway.read({ taskId, model: { id: 'beta-2.5' } })));
  });

  it.each([
    ['the path of an address', (url: string) => `${url}/files/${KEY}/clip.mp4`],
    ['the query of an address', (url: string) => `${url}/files/clip.mp4?key=${encodeURIComponent(KEY)}`],
    ['the host of an address', () => `https://${Buffer.from(KEY).toString('hex')}.invalid/clip.mp4`],
    ['the scheme of an address', () => `s${Buffer.from(KEY).toString('hex')}://example/clip.mp4`],
  ])('in %s that cannot be downloaded leaves it in no message', async (_, address) => {
    gateway.answer = ({ method, path }, response) => {
      if (path.startsWith('/files')) return json(response, 404, { error: KEY });
      const status = method === 'POST' ? 'PENDING' : 'COMPLETED';
      const result = { url: address(gateway.url) };
      return json(response, 200, { status: 'success', response: { id: 'task-1', status, result } });
    };
    const accepted = await submit();
    if (accepted.state !== 'accepted') throw new Error(accepted.state);
    const { take, taskId, acceptedAt } = accepted;
    const task = { production: bench.production, take, taskId, acceptedAt, output: 'video' as const };
    const failed = await outcomeOf(bench.run(bench.activities().media.storeOutput, task));
    expect(failed).toBeInstanceOf(Error);
    expect(inFull(failed)).not.toContain('clip.mp4');
    expectNoTrace(failed);
  });
});
