import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Manifest } from '../../contracts/manifest';
import { dailiesProcess } from '../scripts/command';
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

/** Needs Chromium on PATH, as from the distribution's package `chromium`. */
describe('the film in a browser', () => {
  it('plays', async () => {
    const folder = await temporaryFolder();
    const production = join(__dirname, '..', '..', 'productions', 'lighthouse.yaml');
    const rendered = await dailiesProcess(['render', production, '--json'], { folder });
    const { film } = Manifest.parse(JSON.parse(rendered.stdout));
    const seen = await play(film?.path ?? '', folder);
    expect(seen).toMatchObject({ width: 1280, height: 720 });
    expect(seen['duration']).toBeCloseTo(film?.durationSeconds ?? 0, 1);
    expect(seen['frames']).toBeGreaterThan(20);
  });
});

async function play(film: string, folder: string): Promise<Record<string, unknown>> {
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
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const browser = spawn(
    'chromium',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      ...quiet,
      '--remote-debugging-port=0',
      `--user-data-dir=${folder}/profile`,
      `http://127.0.0.1:${port}/`,
    ],
    { stdio: 'ignore', detached: true },
  );
  const failed = once(browser, 'error').then(([error]) => Promise.reject(error as Error));
  try {
    return await Promise.race([told, failed]);
  } finally {
    if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
    server.closeAllConnections();
    server.close();
  }
}
