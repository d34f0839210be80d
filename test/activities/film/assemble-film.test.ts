import { join } from 'node:path';
import { createAssembleFilm } from '../../../activities/film/assemble-film';
import { createFrozenProductions } from '../../../activities/frozen-productions';
import { type FrozenProduction } from '../../../contracts/render/frozen';
import { findFfmpeg } from '../../../media';
import { makeClip } from '../../media/fixtures';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import { temporaryFolder } from '../../support/temporary-folder';

const FILM: FrozenProduction = {
  ...oneShotFilm(),
  assembly: { transition: { kind: 'cut' }, subtitles: false, title: { text: 'Dawn', seconds: 2 } },
};

describe('a film with a title', () => {
  let bench: ActivityBench;
  beforeEach(async () => {
    bench = await startBench('http://127.0.0.1:1', 'key', FILM);
  });
  afterEach(() => bench.close());

  it('fails for good on a worker whose ffmpeg cannot draw text', async () => {
    const { store, production } = bench;
    const found = await findFfmpeg();
    const filters = new Set([...found.filters].filter((name) => name !== 'drawtext'));
    const ffmpeg = () => Promise.resolve({ ...found, filters });
    const productions = createFrozenProductions(store);
    const assembleFilm = createAssembleFilm({ store, productions, ffmpeg, renderAhead: { end: () => undefined } });
    const clip = await makeClip(join(await temporaryFolder(), 'clip.mp4'));
    const description = { mediaType: 'video/mp4', durationSeconds: 1, width: 320, height: 180 };
    const asset = await store.assets.putFile(clip, () => Promise.resolve(description));
    const assembled = bench.run(assembleFilm, { production, clips: [{ shotId: 'dawn', asset }] });
    await expect(assembled).rejects.toMatchObject({ type: 'FfmpegMissing', nonRetryable: true });
  });
});
