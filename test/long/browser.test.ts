import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Manifest } from '../../contracts/manifest';
import { dailiesProcess } from '../scripts/command';
import { describeInChromium, openChromium } from '../support/chromium';
import { temporaryFolder } from '../support/temporary-folder';

/** Plays the film for two seconds and tells the server what it saw. */
const PAGE = `<!doctype html><video muted autoplay src="/film.mp4"></video><script>
const video = document.querySelector('video');
const report = (what) => fetch('/report', { method: 'POST', body: JSON.stringify(what) });
video.onerror = () => report({ error: video.error.message });
video.ontimeupdate = () => {
  if (video.currentTime < 2) return;
  video.ontimeupdate = null;
  const { totalVideoFrames } = video.getVideoPlaybackQuality();
  report({ duration: video.duration, width: video.videoWidth, height: video.videoHeight, frames: totalVideoFrames });
};
</script>`;

describeInChromium('the film in a browser', () => {
  it('plays', async () => {
    const folder = await temporaryFolder();
    const production = join(__dirname, '..', '..', 'productions', 'lighthouse.yaml');
    const rendered = await dailiesProcess(['render', production, '--json'], { folder });
    const { film } = Manifest.parse(JSON.parse(rendered.stdout));
    const seen = await play(film?.path ?? '');
    expect(seen).toMatchObject({ width: 1280, height: 720 });
    expect(seen['duration']).toBeCloseTo(film?.durationSeconds ?? 0, 1);
    expect(seen['frames']).toBeGreaterThan(20);
  });
});

async function play(film: string): Promise<Record<string, unknown>> {
  const { size } = await stat(film);
  let tell: (report: Record<string, unknown>) => void = () => undefined;
  const told = new Promise<Record<string, unknown>>((resolve) => (tell = resolve));
  const server = createServer((request, response) => {
    if (request.url === '/film.mp4') {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': size });
      createReadStream(film).pipe(response);
    } else if (request.url === '/report') {
      void text(request).then((body) => tell(JSON.parse(body) as Record<string, unknown>));
      response.end();
    } else {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const browser = await openChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    return await told;
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
