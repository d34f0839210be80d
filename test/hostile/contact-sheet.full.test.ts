import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { contactSheet } from '../../client/contact-sheet';
import { SHEET } from '../client/contact-sheet/sheet-fixtures';
import { describeInChromium, inChromium } from '../support/chromium';
import { makeClip } from '../media/fixtures';
import { firstFrame, findFfmpeg } from '../../media';
import { temporaryFolder } from '../support/temporary-folder';

/** What an attacker would write into a text of a production that is not escaped. */
const markup = (address: string): string => `
  <img src="${address}/picture"><video src="${address}/video" preload="auto"></video><iframe src="${address}/frame"></iframe>
  <link rel="stylesheet" href="${address}/style"><object data="${address}/object"></object>
  <style>body { background: url(${address}/background) }</style>
  <script>document.title = 'taken'; fetch('${address}/script')</script><script src="${address}/source"></script>
  <img src="data:," onerror="document.title = 'taken'; new Image().src = '${address}/handler'">`;

describeInChromium('the contact sheet in a browser', () => {
  async function sheetIn(folder: string, change: (page: string) => string = (page) => page): Promise<string> {
    await Promise.all(['takes', 'frames'].map((name) => mkdir(join(folder, name))));
    const film = await makeClip(join(folder, 'film.mp4'));
    await makeClip(join(folder, 'takes', 'dawn-take-1.mp4'));
    for (const which of ['first', 'last']) {
      await firstFrame(await findFfmpeg(), film, join(folder, 'frames', `dawn-take-1-${which}.png`));
    }
    const path = join(folder, 'index.html');
    await writeFile(path, change(contactSheet(SHEET)));
    return pathToFileURL(path).href;
  }

  /** What has loaded: pictures with pixels, films with a length; and whether script and style have done their work. */
  const LOOK = `(async () => {
    const { images } = document;
    for (const image of images) { image.loading = 'eager'; await image.decode().catch(() => undefined); }
    const videos = [...document.querySelectorAll('video[src$=".mp4"]')];
    for (const video of videos) {
      video.preload = 'metadata';
      video.load();
      if (video.readyState === 0) await new Promise((on) => { video.onloadedmetadata = on; video.onerror = on; });
    }
    return {
      pictures: [...images].filter(({ src }) => src.endsWith('.png')).map(({ naturalWidth }) => naturalWidth),
      seconds: videos.map(({ duration }) => Math.round(duration)),
      controls: videos.map(({ controls }) => controls),
      ground: getComputedStyle(document.body).backgroundColor,
      grow: getComputedStyle(document.querySelector('.chapters a')).flexGrow,
      title: document.title,
    };
  })()`;

  const WHOLE = {
    pictures: expect.arrayContaining([320]),
    seconds: [1, 1, 1],
    controls: [true, false, false],
    ground: 'rgb(19, 18, 17)',
    grow: '4',
    title: 'A film',
  };

  it('shows its pictures and films from the disk, in its own style, and its script runs', async () => {
    const seen = await inChromium(await sheetIn(await temporaryFolder()), (tab) => tab.evaluate(LOOK));
    expect(seen).toEqual(WHOLE);
    expect((seen as { pictures: number[] }).pictures).not.toContain(0);
  });

  it('shows its drift meters whole on a phone, and nothing wider than the screen', async () => {
    const [dawn, day] = SHEET.shots;
    if (dawn === undefined || day === undefined) throw new Error('the sheet lacks a shot');
    const drift = {
      first: 'dawn',
      brightnessPercent: -24,
      contrastPercent: 31,
      colorDistance: 18,
      warning: true,
      anchorHelps: true,
    };
    const frames = ['frames/dawn-take-1-last.png', 'frames/dawn-take-1-first.png'] as const;
    const sheet = { ...SHEET, shots: [dawn, { ...day, joint: { from: 'dawn', frames, drift } }] };
    const address = await sheetIn(await temporaryFolder(), () => contactSheet(sheet));
    const edges = await inChromium(
      address,
      (tab) =>
        tab.evaluate(`({
          page: document.documentElement.scrollWidth,
          meters: [...document.querySelectorAll('.drift svg')].map((meter) => {
            const { left, right, width } = meter.getBoundingClientRect();
            return { left: left >= 0, right: right <= innerWidth, isWide: width > 100 };
          }),
        })`),
      { viewport: { width: 360, height: 740 } },
    );
    const whole = { left: true, right: true, isWide: true };
    expect(edges).toEqual({ page: 360, meters: [whole, whole, whole] });
  });

  it('loads nothing from elsewhere and runs no other script, even if a text gets in as markup', async () => {
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const page = await sheetIn(await temporaryFolder(), (html) =>
        html.replace('<main>', `<main>${markup(`http://127.0.0.1:${port}`)}`),
      );
      expect(await inChromium(page, (tab) => tab.evaluate(LOOK))).toEqual(WHOLE);
      expect(asked).toEqual([]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
