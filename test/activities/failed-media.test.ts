import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AssetRef } from '../../contracts/asset';
import { type FrozenProduction } from '../../contracts/render/frozen';
import { type ActivityBench, oneShotFilm, startBench } from '../support/activity-bench';
import { acceptAll, type ScriptedGateway, startScriptedGateway } from '../support/scripted-gateway';

const FILM: FrozenProduction = { ...oneShotFilm(), assembly: { transition: { kind: 'cut' }, subtitles: false } };

describe('bytes that ffmpeg cannot decode', () => {
  let gateway: ScriptedGateway;
  let bench: ActivityBench;
  let broken: AssetRef;

  beforeEach(async () => {
    gateway = await startScriptedGateway(acceptAll());
    bench = await startBench(gateway.url, 'key', FILM);
    const description = { mediaType: 'video/mp4', durationSeconds: 4, width: 640, height: 360 };
    broken = await bench.store.assets.putBytes(Buffer.alloc(10_000, 'no film'), description);
  });

  afterEach(async () => {
    await bench.close();
    await gateway.close();
  });

  const partsLeft = () => readdir(join(bench.store.folder, 'parts'));

  it('are refused as a clip at once, and leave no part of a frame', async () => {
    const used = bench.run(bench.activities().decisions.prepareClip, { asset: broken });
    await expect(used).rejects.toMatchObject({ type: 'MediaUnusable', nonRetryable: true });
    expect(await partsLeft()).toEqual([]);
  });

  it('make the film fail for good after some tries of ffmpeg, however many workers were lost before', async () => {
    const { assembleFilm } = bench.activities().media;
    const input = { production: bench.production, clips: [{ shotId: 'dawn', asset: broken }] };
    const afterLostWorkers = { attempt: 40, heartbeatDetails: { refusals: 0, progress: 0.5 } };
    await expect(bench.run(assembleFilm, input, afterLostWorkers)).rejects.toMatchObject({ type: 'MediaFailed' });
    const tries: unknown[] = [];
    const assembled = bench.persist(assembleFilm, input, (type) => tries.push(type));
    await expect(assembled).rejects.toMatchObject({ type: 'MediaUnusable', nonRetryable: true });
    expect(tries).toEqual(Array.from({ length: 4 }, () => 'MediaFailed'));
  });

  it('leave no part of a film', async () => {
    const clips = [{ shotId: 'dawn', asset: broken }];
    const assembled = bench.run(bench.activities().media.assembleFilm, { production: bench.production, clips });
    await expect(assembled).rejects.toMatchObject({ type: 'MediaFailed', nonRetryable: false });
    expect(await partsLeft()).toEqual([]);
  });
});
