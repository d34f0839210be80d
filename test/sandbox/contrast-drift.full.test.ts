import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFfmpeg, measureColor } from '../../media';
import { PAINTED } from '../support/pictures';
import { temporaryFolder } from '../support/temporary-folder';
import { CLIP, download, finish, sandbox, submit } from './rig';

describe('a sandbox that is told to multiply contrast', () => {
  it('does so with every generation that starts on a frame, and with no other', async () => {
    const folder = await temporaryFolder();
    const at = await sandbox({ contrastDrift: 1.1, ...PAINTED });
    const ffmpeg = await findFfmpeg();
    const contrasts: number[] = [];
    let startFrame: object = {};
    for (const name of ['first', 'second', 'third']) {
      const ended = await finish(at, await submit(at, 'beta-2.5', { ...CLIP, returnLastFrame: true, ...startFrame }));
      const { lastFrame } = ended.result as unknown as { lastFrame: { url: string } };
      const png = await download(lastFrame.url);
      await writeFile(join(folder, name), png);
      contrasts.push((await measureColor(ffmpeg, join(folder, name))).contrast);
      startFrame = { startFrame: `data:image/png;base64,${png.toString('base64')}` };
    }
    const [first = 0, second = 0, third = 0] = contrasts;
    // Values beyond the range are clipped, which lowers the contrast a little.
    for (const growth of [second / first, third / second]) {
      expect(growth).toBeGreaterThan(1.06);
      expect(growth).toBeLessThan(1.13);
    }
  });
});
