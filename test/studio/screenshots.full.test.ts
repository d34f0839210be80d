import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeInChromium } from '../support/chromium';
import { PAINTED } from '../support/pictures';
import { startStudioRig, type StudioRig } from '../support/studio-rig';
import { temporaryFolder } from '../support/temporary-folder';

/** With this variable set, the pictures of docs/studio.md are written anew: `STUDIO_PICTURES=1 npx jest …`. */
const WRITES = process.env['STUDIO_PICTURES'] !== undefined;
const DOCS = join(__dirname, '..', '..', 'docs', 'images');

const LARGEST_BYTES = 150_000;

describeInChromium('the pictures of docs/studio.md', () => {
  let rig: StudioRig;

  beforeAll(async () => {
    rig = await startStudioRig(PAINTED);
    const clip = { model: 'beta-video', duration: 4, resolution: '480p' };
    await rig.dailies.renderProduction({
      id: 'harbour',
      title: 'Harbour',
      shots: [
        { id: 'night', prompt: 'A harbour at night from above, masts and lamps in still water', ...clip },
        {
          id: 'morning',
          prompt: 'The sky turns gold and the first boat casts off',
          startFrame: { lastFrameOf: 'night' },
          ...clip,
        },
        { id: 'gulls', prompt: 'Gulls over the quay in the first light', takes: 2, review: true, ...clip },
      ],
    });
  });

  afterAll(() => rig.close());

  it.each([
    ['film', '/productions/harbour'],
    ['shot', '/productions/harbour/shots/morning'],
    ['review', '/review'],
  ])('shows the page %s in a picture that is small', async (name, path) => {
    const folder = WRITES ? DOCS : await temporaryFolder();
    await mkdir(folder, { recursive: true });
    const page = await rig.open(path, { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' });
    await page.evaluate(PICTURES);
    const file = join(folder, `studio-${name}.jpg`);
    await page.screenshot({ path: file, type: 'jpeg', quality: 70 });
    expect((await stat(file)).size).toBeLessThan(LARGEST_BYTES);
    await page.context().close();
  });
});

/** Waits until the pictures in the window are painted. */
const PICTURES = `Promise.all([...document.images].filter(({ loading }) => loading !== 'lazy').map((image) => image.decode().catch(() => undefined)))
  .then(() => document.fonts.ready).then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))).then(() => undefined)`;
