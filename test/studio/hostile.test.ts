import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startStudioRig, STUDIO_TOKEN, type StudioRig } from '../support/studio-rig';
import { dailies } from '../scripts/command';
import { temporaryFolder } from '../support/temporary-folder';
import { fieldsOf } from './raw-http';
import { visitorOf, type Visitor } from './visitor';

const FILM = {
  id: 'film',
  title: 'Unpublished',
  models: { 'pixel-image-1': { output: 'image' as const } },
  shots: [{ id: 'sea', model: 'pixel-image-1', prompt: 'the sea', width: 64, height: 36 }],
};

const SHOT = '/productions/film/shots/sea';
const RETAKE = `${SHOT}/retake`;

describe('the studio against hostile requests', () => {
  let rig: StudioRig;
  let visitor: Visitor;
  let host: string;
  let picture: string;
  /** Tasks that were paid for on purpose. */
  let paid = 1;

  beforeAll(async () => {
    rig = await startStudioRig();
    await rig.dailies.renderProduction(FILM);
    visitor = await visitorOf(rig);
    picture = /\/assets\/[0-9a-f]{64}\.png/.exec((await visitor.get(SHOT)).body)?.[0] ?? '';
    host = `127.0.0.1:${rig.studio.port}`;
  });

  afterEach(() => {
    expect(rig.accepted()).toBe(paid);
    expect(rig.errors.splice(0)).toEqual([]);
  });

  afterAll(() => rig.close());

  /** The form that pays for another take: it carries the plan that a person has seen. */
  async function agreed(prompt = 'the sea, again'): Promise<Record<string, string>> {
    const first = await visitor.form(SHOT, RETAKE);
    const shown = await visitor.post(RETAKE, { ...first, prompt });
    expect(shown).toMatchObject({ status: 200 });
    return fieldsOf(shown.body, RETAKE);
  }

  it('serves the person whose browser was opened with the token', async () => {
    expect(await visitor.get('/')).toMatchObject({ status: 200, body: expect.stringContaining('Unpublished') });
    expect(await visitor.get(picture)).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
  });

  const FOREIGN_HOSTS: readonly (readonly [string, (port: number) => string | undefined])[] = [
    ['a foreign name that resolves to this machine', (port) => `rebound.example:${port}`],
    ['a foreign name that begins as this machine', (port) => `127.0.0.1.rebound.example:${port}`],
    ['another port', (port) => `127.0.0.1:${port === 65_535 ? 1 : port + 1}`],
    ['no port', () => '127.0.0.1'],
    ['two hosts', (port) => `127.0.0.1:${port}, rebound.example`],
    ['a user before the host', (port) => `127.0.0.1:${port}@rebound.example:${port}`],
    ['another address of this machine', (port) => `0.0.0.0:${port}`],
    ['an empty host', () => ''],
    ['no host', () => undefined],
  ];
  it.each(FOREIGN_HOSTS)('answers nothing to a request with %s', async (_, hostOf) => {
    const foreign = hostOf(rig.studio.port);
    const fields = await agreed();
    const asked = await Promise.all([
      visitor.get('/', { host: foreign }),
      visitor.get(`/?token=${STUDIO_TOKEN}`, { host: foreign }),
      visitor.get(picture, { host: foreign }),
      visitor.post(RETAKE, fields, { host: foreign }),
      visitor.post(RETAKE, fields, { host: foreign, origin: `http://${foreign ?? ''}` }),
    ]);
    for (const answer of asked) {
      expect([400, 403]).toContain(answer.status);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.body).not.toContain('Unpublished');
    }
  });

  const FOREIGN_ORIGINS: readonly (readonly [string, (port: number) => string | undefined])[] = [
    ['a foreign origin', () => 'http://hostile.example'],
    ['an origin that is withheld', () => 'null'],
    ['no origin', () => undefined],
    ['the origin of another port', (port) => `http://127.0.0.1:${port === 65_535 ? 1 : port + 1}`],
    ['the origin of another scheme', (port) => `https://127.0.0.1:${port}`],
    ['the origin of another name of this machine', (port) => `http://localhost:${port}`],
    ['an origin that begins as its own', (port) => `http://127.0.0.1:${port}.hostile.example`],
  ];
  it.each(FOREIGN_ORIGINS)('carries out no form with %s', async (_, originOf) => {
    const origin = originOf(rig.studio.port);
    expect(await visitor.post(RETAKE, await agreed(), { origin })).toMatchObject({ status: 403 });
    if (origin !== undefined) expect(await visitor.get('/', { origin })).toMatchObject({ status: 403 });
  });

  it.each(['OPTIONS', 'PUT', 'PATCH', 'DELETE'])('allows no origin anything by %s', async (method) => {
    const origin = 'http://hostile.example';
    const wanted = { 'access-control-request-method': 'POST', 'access-control-request-private-network': 'true' };
    const headers = { host, origin, cookie: visitor.cookie, ...wanted };
    expect(await visitor.send({ method, path: RETAKE, headers })).toMatchObject({ status: 403 });
  });

  it.each(['image', 'video', 'iframe', 'script', 'empty'])(
    'gives another port of this machine nothing as %s, though the browser sends the cookie',
    async (dest) => {
      const headers = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': dest };
      expect(await visitor.get(picture, headers)).toMatchObject({ status: 403 });
      expect(await visitor.get('/', headers)).toMatchObject({ status: 403 });
    },
  );

  const COOKIES: readonly (readonly [string, (name: string) => string | undefined])[] = [
    ['no cookie', () => undefined],
    ['an empty one', (name) => `${name}=`],
    ['a wrong one', (name) => `${name}=${'A'.repeat(32)}`],
    ['the token as cookie', (name) => `${name}=${STUDIO_TOKEN}`],
    ['the cookie of another port', (name) => `${name}9=${visitor.cookie.split('=')[1] ?? ''}`],
  ];
  it.each(COOKIES)('shows nothing and does nothing with %s', async (_, cookieOf) => {
    const cookie = cookieOf(visitor.cookie.split('=')[0] ?? '');
    const fields = await agreed();
    for (const path of ['/', '/review', '/new', SHOT, picture, '/studio/style.css', '/nothing-here']) {
      const answer = await visitor.get(path, { cookie });
      expect(answer.status).toBe(401);
      expect(answer.body).not.toContain('Unpublished');
    }
    expect(await visitor.get('/', { cookie, accept: 'text/event-stream' })).toMatchObject({ status: 401 });
    expect(await visitor.post(RETAKE, fields, { cookie })).toMatchObject({ status: 401 });
  });

  it('takes the token by its own address alone', async () => {
    const without = { cookie: undefined };
    for (const path of ['/?token=wrong', `/?token=${STUDIO_TOKEN}x`, '/?token=', `/review?token=${STUDIO_TOKEN}`]) {
      expect(await visitor.get(path, without)).toMatchObject({ status: 401 });
    }
    for (const method of ['POST', 'HEAD', 'PUT']) {
      const headers = { host, origin: visitor.origin };
      const answer = await visitor.send({ method, path: `/?token=${STUDIO_TOKEN}`, headers });
      expect(answer).toMatchObject({
        status: 401,
        headers: expect.not.objectContaining({ 'set-cookie': expect.anything() }),
      });
    }
    expect(await visitor.get('/', { ...without, authorization: `Bearer ${STUDIO_TOKEN}` })).toMatchObject({
      status: 401,
    });
    expect(await visitor.post('/', { token: STUDIO_TOKEN }, without)).toMatchObject({ status: 401 });
  });

  it('keeps its cookie from scripts and from other sites', async () => {
    const entered = await visitor.get(`/?token=${STUDIO_TOKEN}`, { cookie: undefined });
    expect(entered.headers['set-cookie']).toEqual([expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Strict$/)]);
    expect(entered.headers['cache-control']).toBe('no-store');
  });

  it('carries out no form whose token is forged, cut, of another form, or of another studio', async () => {
    const fields = await agreed();
    const { token = '' } = fields;
    const [nonce = '', signature = ''] = token.split('.');
    const ofBudget = (await visitor.form('/productions/film', '/productions/film/budget'))['token'] ?? '';
    const forged = [
      '',
      '.',
      nonce,
      `${nonce}.`,
      `.${signature}`,
      `x${token}`,
      `${token}x`,
      `${nonce}.${'A'.repeat(43)}`,
    ];
    for (const one of [...forged, ofBudget]) {
      expect(await visitor.post(RETAKE, { ...fields, token: one })).toMatchObject({ status: 409 });
    }
    expect(await visitor.post('/productions/film/budget', { token, credits: '5' })).toMatchObject({ status: 409 });
  });

  it.each(['', ' ', '0x10', '1e3', '-1', '1,5', 'NaN', '9'.repeat(400)])('sets no budget of %j', async (credits) => {
    const fields = await visitor.form('/productions/film', '/productions/film/budget');
    expect(await visitor.post('/productions/film/budget', { ...fields, credits })).toMatchObject({ status: 409 });
    expect(await rig.dailies.budget('film')).toBeNull();
  });

  it('carries out no form that does not say what was agreed to', async () => {
    const { seen = '' } = await agreed();
    const plan = JSON.parse(seen) as { readonly version: string; readonly follows: object };
    const forged = [
      'x',
      'null',
      '[]',
      '{}',
      JSON.stringify({ version: plan.version }),
      JSON.stringify({ ...plan, version: 'another' }),
      JSON.stringify({ ...plan, follows: null }),
      JSON.stringify({ ...plan, follows: {} }),
      JSON.stringify({ ...plan, follows: { shots: [] } }),
      JSON.stringify({ ...plan, follows: { ...plan.follows, quote: { tasks: 0, credits: 0 } } }),
      JSON.stringify({ ...plan, follows: { ...plan.follows, shots: [] } }),
    ];
    for (const one of forged) {
      const fields = await agreed();
      expect(await visitor.post(RETAKE, { ...fields, seen: one })).toMatchObject({ status: 409 });
    }
  });

  it('pays once for a form that is sent five times at once and once more later', async () => {
    const fields = await agreed('the sea at noon');
    const stale = await agreed('the sea at noon');
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.post(RETAKE, fields)));
    expect(new Set(answers.map(({ status, headers: { location } }) => `${status} ${location ?? ''}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(303);
    paid += 1;
    await rig.dailies.waitFor('film');
    expect(await visitor.post(RETAKE, fields)).toMatchObject({
      status: 303,
      headers: answers[0] && { location: answers[0].headers.location },
    });
    // What was agreed to in another tab is no longer what would happen.
    expect(await visitor.post(RETAKE, stale)).toMatchObject({ status: 409 });
    await rig.dailies.waitFor('film');
  });

  const OUTSIDE: readonly string[] = [
    '/assets/../../../../../../etc/passwd',
    '/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/assets/..%2f..%2fstore.json',
    '/assets//etc/passwd',
    '/assets/%2fetc%2fpasswd',
    '/assets/%00',
    '/assets/evil.txt',
    '/assets/ev/evil.txt',
    `/assets/${'0'.repeat(64)}.mp4`,
    `/assets/${'0'.repeat(64)}.mp4/../../x`,
    '/studio/../package.json',
    '/studio/..%2f..%2fpackage.json',
    '/studio/%2e%2e/%2e%2e/%2e%2e/package.json',
    '/studio/%2e%2e%2fserver%2fguard.js',
    '/studio//etc/passwd',
    '/studio/%2fetc%2fpasswd',
    '/studio/..%5c..%5cpackage.json',
    '/studio/style.css/../../index.js',
    '/studio/style.css%00.js',
    '/studio/constructor',
    '/studio/__proto__',
    '/studio/tsconfig.json',
    '/%2e%2e/%2e%2e/etc/passwd',
  ];
  it.each(OUTSIDE)('serves no file outside of its own for %s', async (path) => {
    const folder = join(rig.rig.store.folder, 'assets', 'ev');
    await mkdir(folder, { recursive: true });
    await symlink('/etc/passwd', join(folder, 'evil')).catch(() => undefined);
    const answer = await visitor.get(path);
    expect([400, 404]).toContain(answer.status);
    expect(answer.body).not.toMatch(/root:|"dependencies"|createGuard/);
  });

  it('serves what is no picture, sound or film as a file to keep, whatever the address says', async () => {
    const markup = '<script>document.title = "taken"</script>';
    const path = join(await temporaryFolder(), 'page');
    await writeFile(path, markup);
    const { sha256 } = await rig.rig.store.assets.putFile(path, () =>
      Promise.resolve({ mediaType: 'text/html', ...NO_PICTURE }),
    );
    for (const ending of ['bin', 'html', 'htm', 'xhtml', 'svg', 'xml', 'js', 'css', 'pdf']) {
      const { headers, status } = await visitor.get(`/assets/${sha256}.${ending}`);
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/octet-stream');
      expect(headers['content-disposition']).toMatch(/^attachment/);
    }
    // Markup as a picture or text stays what its type says, since no browser may guess.
    expect((await visitor.get(`/assets/${sha256}.png`)).headers['content-type']).toBe('image/png');
    expect((await visitor.get(`/assets/${sha256}.txt`)).headers['content-type']).toMatch(/^text\/plain/);
    const named = await visitor.get(
      `/assets/${sha256}.txt?download=${encodeURIComponent('a"\r\nset-cookie: x=1; \u202e.exe')}`,
    );
    expect(named.headers['content-disposition']).toMatch(/^attachment; filename\*=UTF-8''[\w.%!'()*~-]+$/);
    expect(named.headers['set-cookie']).toBeUndefined();
  });

  it.each([
    ['bytes=0-', 206],
    ['bytes=-1', 206],
    ['bytes=0-99999999999999999999', 206],
    ['bytes=-99999999999999999999', 206],
    ['bytes=5-1', 200],
    ['bytes=-0', 416],
    ['bytes=99999999999999999999-', 416],
    ['bytes=0-0,1-1', 200],
    ['bytes=-', 200],
    ['bytes=0x0-0x1', 200],
    ['items=0-1', 200],
    [`bytes=${'0-0,'.repeat(20)}1-1`, 200],
  ])('reads an asset within its bounds for the range %s', async (range, status) => {
    const whole = Number(
      (await visitor.send({ method: 'HEAD', path: picture, headers: { host, cookie: visitor.cookie } })).headers[
        'content-length'
      ],
    );
    const answer = await visitor.get(picture, { range });
    expect(answer.status).toBe(status);
    if (status !== 416) expect(Number(answer.headers['content-length'])).toBeLessThanOrEqual(whole);
  });

  it('reads no body that is too large, and none of a stranger', async () => {
    const headers = {
      host,
      origin: visitor.origin,
      cookie: visitor.cookie,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const large = { 'content-length': String(65 * 1024 * 1024) };
    expect(await visitor.send({ method: 'POST', path: RETAKE, headers: { ...headers, ...large } })).toMatchObject({
      status: 413,
    });
    expect(
      await visitor.send({ method: 'POST', path: RETAKE, headers: { ...headers, ...large, cookie: undefined } }),
    ).toMatchObject({ status: 401 });
    expect(await visitor.get('/', { 'x-long': 'x'.repeat(32_000) })).toMatchObject({ status: 431 });
  });

  it.each([
    ['application/json', '{"token":"x"}'],
    ['multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data; name="token"\r\n\r\nx'],
    ['multipart/form-data', 'x'],
    ['text/plain', 'token=x'],
    ['application/x-www-form-urlencoded', 'token=x&token=y&token[]=z&__proto__=x&%=%'],
  ])('refuses a body of %s that is no form of its own', async (type, body) => {
    const headers = { host, origin: visitor.origin, cookie: visitor.cookie, 'content-type': type };
    const answer = await visitor.send({ method: 'POST', path: RETAKE, headers, body });
    expect([400, 409, 422]).toContain(answer.status);
  });

  it.each([
    '..%2f..%2f..%2fetc',
    '%252e%252e',
    '%00',
    '%ff',
    '__proto__',
    '<script>alert(1)</script>',
    '%22%3E%3Cimg%20src=x%3E',
    '%E2%80%AE',
    'a'.repeat(300),
  ])('knows no production and no shot by the id %s', async (id) => {
    for (const path of [`/productions/${id}`, `/productions/${id}/shots/sea`, `/productions/film/shots/${id}`]) {
      const answer = await visitor.get(path);
      expect([400, 404, 409]).toContain(answer.status);
      expect(answer.body).not.toMatch(/<script>alert|<img src=x|\/etc|ENOENT|\0/);
    }
  });

  const REFUSED: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['another address without a token of its own', ['--host', '0.0.0.0'], /--token-file FILE/],
    ['a token file that others can read', ['--token-file', 'open'], /chmod 600/],
    ['a short token', ['--host', '0.0.0.0', '--token-file', 'short'], /at least 24/],
    ['a token that an address cannot carry', ['--token-file', 'odd'], /letters, digits/],
    ['a token file that is not there', ['--token-file', 'nothing'], /cannot be read/],
  ];
  it.each(REFUSED)('is not served with %s', async (_, flags, words) => {
    const folder = await temporaryFolder();
    const secret = 'a-secret-that-stays-in-its-file';
    await writeFile(join(folder, 'open'), secret, { mode: 0o644 });
    await writeFile(join(folder, 'short'), 'short-secret', { mode: 0o600 });
    await writeFile(join(folder, 'odd'), `${secret}?&x`, { mode: 0o600 });
    const { exitCode, stdout, stderr } = await dailies(['studio', '--no-open', ...flags], { folder });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(words);
    expect(`${stdout}${stderr}`).not.toMatch(/a-secret|short-secret/);
  });
});

const NO_PICTURE = { width: null, height: null, durationSeconds: null };
