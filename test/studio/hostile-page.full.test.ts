import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { describeInChromium } from '../support/chromium';
import { startStudioRig, STUDIO_TOKEN, type StudioRig } from '../support/studio-rig';

const RETAKE = '/productions/film/shots/sea/retake';

/** A page of another port of this machine: the same site, so that the browser sends the studio's cookie for it. */
const attack = (studio: string, picture: string): string => `<!doctype html><title>hostile</title>
<iframe id="frame" src="${studio}/"></iframe><iframe id="shot" src="${studio}${RETAKE.replace('/retake', '')}"></iframe>
<img id="picture" src="${studio}${picture}"><video id="clip" src="${studio}${picture}"></video>
<link rel="stylesheet" href="${studio}/studio/studio.css"><script src="${studio}/studio/studio.js"></script>
<script>
const seen = {};
const settled = (work) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, 4000, 'nothing'))]).catch((error) => error.name);
const read = (path, options) => settled(fetch('${studio}' + path, { credentials: 'include', ...options }).then((answer) => answer.text()));
const form = (path, fields) => {
  const frame = Object.assign(document.createElement('iframe'), { name: 'into' + path });
  document.body.append(frame);
  const one = Object.assign(document.createElement('form'), { method: 'post', action: '${studio}' + path, target: frame.name });
  for (const [name, value] of Object.entries(fields)) one.append(Object.assign(document.createElement('input'), { name, value }));
  document.body.append(one);
  return new Promise((resolve) => { frame.onload = resolve; one.submit(); setTimeout(resolve, 4000); });
};
globalThis.result = (async () => {
  seen.page = await read('/');
  seen.withoutCors = await settled(fetch('${studio}/', { mode: 'no-cors', credentials: 'include' }).then((answer) => answer.type + answer.status));
  seen.posted = await read('${RETAKE}', { method: 'POST', body: new URLSearchParams({ token: 'x', seen: '{}' }) });
  seen.stream = await settled(new Promise((resolve) => {
    const stream = new EventSource('${studio}/productions/film', { withCredentials: true });
    stream.addEventListener('version', ({ data }) => resolve(data));
    stream.onerror = () => { if (stream.readyState === 2) resolve('closed'); };
  }));
  await form('${RETAKE}', { token: 'x', prompt: 'hostile', seen: '{}' });
  await form('/productions/film/budget', { token: 'x', credits: '0' });
  const opened = window.open('${studio}/');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  try { seen.opened = opened?.document?.title ?? 'nothing'; } catch (error) { seen.opened = error.name; }
  seen.posts = await settled(new Promise((resolve) => { onmessage = ({ data }) => resolve(data); opened?.postMessage('title', '*'); }));
  for (const id of ['frame', 'shot']) {
    try { seen[id] = document.getElementById(id).contentDocument?.title ?? 'nothing'; } catch (error) { seen[id] = error.name; }
  }
  seen.picture = document.getElementById('picture').naturalWidth;
  seen.clip = document.getElementById('clip').videoWidth;
  seen.margin = getComputedStyle(document.body).margin;
  return seen;
})();
</script>`;

describeInChromium('a page of another port that attacks the studio in the same browser', () => {
  let rig: StudioRig;

  beforeAll(async () => {
    rig = await startStudioRig();
    await rig.dailies.renderProduction({
      id: 'film',
      title: 'Unpublished',
      models: { 'pixel-image-1': { output: 'image' } },
      shots: [{ id: 'sea', model: 'pixel-image-1', prompt: 'the sea', width: 64, height: 36 }],
    });
  });

  afterAll(() => rig.close());

  it.each(['127.0.0.1', 'localhost'])('reads nothing and spends nothing from %s', async (name) => {
    const studio = `http://127.0.0.1:${rig.studio.port}`;
    const person = await rig.open('/productions/film/shots/sea');
    const picture = (await person.locator('.takes img').first().getAttribute('src')) ?? '';
    expect(picture).toMatch(/^\/assets\/[0-9a-f]{64}\.png$/);
    const server = createServer((_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end(attack(studio, picture));
    }).listen(0);
    await once(server, 'listening');
    const hostile = await person.context().newPage();
    await hostile.goto(`http://${name}:${(server.address() as AddressInfo).port}/`);
    const seen = await hostile.evaluate<Readonly<Record<string, unknown>>>('globalThis.result');
    expect(seen).toEqual({
      page: 'TypeError',
      withoutCors: 'TypeError',
      posted: 'TypeError',
      stream: 'closed',
      opened: expect.stringMatching(/^(nothing|SecurityError)?$/),
      posts: 'nothing',
      frame: expect.stringMatching(/^(nothing|SecurityError)$/),
      shot: expect.stringMatching(/^(nothing|SecurityError)$/),
      picture: 0,
      clip: 0,
      margin: '8px',
    });
    expect(JSON.stringify(seen)).not.toMatch(/Unpublished|the sea/);
    expect(rig.accepted()).toBe(1);
    expect(await rig.dailies.budget('film')).toBeNull();
    // Frames show Chromium's own error, not the studio.
    for (const frame of hostile.frames().slice(1)) expect(await frame.content()).not.toMatch(/Unpublished|Dailies/);
    // The person's own page is as before, and its address does not have the token.
    expect(await person.title()).toContain('sea');
    expect(person.url()).not.toContain(STUDIO_TOKEN);
    await hostile.close();
    server.closeAllConnections();
    server.close();
  });
});
