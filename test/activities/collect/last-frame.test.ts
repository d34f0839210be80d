import { join } from 'node:path';
import { type FrozenProduction } from '../../../contracts/render/frozen';
import { lastFrame as cutLastFrame } from '../../../media';
import { findFfmpeg } from '../../../media';
import { LAST_FRAME_PLACES } from '../../../sandbox/http/answers';
import { startSandbox } from '../../../sandbox';
import { acceptedTake, startBench } from '../../support/activity-bench';
import { similarityOfFiles } from '../../support/similarity';
import { PLAIN } from '../../support/pictures';
import { temporaryFolder } from '../../support/temporary-folder';

const model = { id: 'beta-2.5', output: 'video' as const };
const CHAIN: FrozenProduction = {
  version: 1,
  id: 'film',
  title: 'Film',
  shots: [
    { id: 'dawn', model, parameters: { prompt: 'first light', duration: 4, resolution: '480p' }, files: {} },
    {
      id: 'day',
      model,
      parameters: { prompt: 'day' },
      files: { startFrame: { kind: 'link', shot: 'dawn', frame: 'last' } },
    },
  ],
};

describe('lastFrame', () => {
  it.each(LAST_FRAME_PLACES)('is used for the chain if the gateway puts it at: %s', async (lastFramePlace) => {
    const folder = await temporaryFolder();
    const sandbox = await startSandbox({ folder, lastFramePlace, ...PLAIN });
    const bench = await startBench(sandbox.url, 'key', CHAIN);
    try {
      const { polls, media } = bench.activities();
      const { take, taskId, acceptedAt } = await acceptedTake(bench);
      expect(sandbox.tasks()[0]?.parameters).toMatchObject({ returnLastFrame: true });
      await waitForEnd(() => bench.run(polls.awaitTask, { take, taskId, acceptedAt, lastRead: true }));
      const output = await bench.run(media.storeOutput, {
        take,
        taskId,
        production: bench.production,
        output: 'video',
      });
      const frame = await bench.run(media.lastFrame, { take, taskId, output });
      expect(frame.source).toBe(lastFramePlace === 'none' ? 'clip' : 'gateway');
      // It was stored with the clip, so the chain needed no further activity.
      expect(output.lastFrame).toEqual(frame);

      const cut = join(folder, 'cut.png');
      await cutLastFrame(await findFfmpeg(), bench.store.assets.shownPath(output.asset), cut);
      const path = bench.store.assets.shownPath(frame.asset);
      expect(await similarityOfFiles(path, cut)).toBeGreaterThanOrEqual(0.98);
    } finally {
      await bench.close();
      await sandbox.close();
    }
  });
});

async function waitForEnd(read: () => Promise<{ state: string }>): Promise<void> {
  while ((await read()).state === 'pending') await new Promise((resolve) => setTimeout(resolve, 100));
}
