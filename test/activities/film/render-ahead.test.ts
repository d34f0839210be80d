import childProcess from 'node:child_process';
import fs, { type StatsFs } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { createBackground } from '../../../activities';
import { createRenderAhead, type RenderAhead } from '../../../activities/film/render-ahead';
import { type AssetRef } from '../../../contracts/asset';
import { type FrozenProduction, type FrozenShot } from '../../../contracts/render/frozen';
import { type ProductionStatus } from '../../../contracts/status';
import { findFfmpeg } from '../../../media';
import { makeClip } from '../../media/fixtures';
import { type ActivityBench, oneShotFilm, startBench } from '../../support/activity-bench';
import { keptPieces } from '../../support/kept-pieces';
import { temporaryFolder } from '../../support/temporary-folder';

const FRAMES = 48;
const SHORT_FRAMES = 30;

/** Three shots, each on the last frame of the one before. */
const FILM: FrozenProduction = {
  ...oneShotFilm(),
  shots: ['dawn', 'noon', 'dusk'].map((id, index, ids): FrozenShot => {
    const startFrame = { kind: 'link' as const, shot: ids[index - 1] ?? '', frame: 'last' as const };
    return { ...oneShotFilm().shots[0]!, id, files: index === 0 ? {} : { startFrame } };
  }),
  assembly: { transition: { kind: 'cut' }, subtitles: false },
};

describe('a clip of a chain, rendered ahead of the film', () => {
  let bench: ActivityBench;
  let clip: AssetRef;
  let short: AssetRef;

  beforeEach(async () => {
    bench = await startBench('http://127.0.0.1:1', 'key', FILM);
    [clip, short] = (await Promise.all([FRAMES, SHORT_FRAMES].map(clipOf))) as [AssetRef, AssetRef];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await bench.close();
  });

  async function clipOf(frames: number): Promise<AssetRef> {
    const path = await makeClip(join(await temporaryFolder(), 'clip.mp4'), { frames, soundSeconds: frames / 24 });
    const description = { mediaType: 'video/mp4', durationSeconds: frames / 24, width: 320, height: 180 };
    return bench.store.assets.putFile(path, () => Promise.resolve(description));
  }

  /** Begins, and waits for the end of it. */
  async function renderAhead(shotId: string, film = FILM): Promise<void> {
    const rendering = createBackground();
    await createRenderAhead({ store: bench.store, ffmpeg: findFfmpeg, rendering }).begin(film, shotId, clip);
    await new Promise<void>((resolve) => {
      rendering.start(() => Promise.resolve(resolve()));
    });
  }

  /** The neighbouring clips have another length. */
  const clips = () => FILM.shots.map(({ id }) => ({ shotId: id, asset: id === 'noon' ? clip : short }));
  const assembleFilm = () => bench.activities().media.assembleFilm;

  it('is not rendered again with the film, whatever the neighbouring clips are', async () => {
    const yields = jest.spyOn(os, 'setPriority');
    await renderAhead('noon');
    expect(yields).toHaveBeenCalledTimes(1);
    expect(await keptPieces(bench.store)).toHaveLength(1);

    const spawn = jest.spyOn(childProcess, 'spawn');
    const film = await bench.run(assembleFilm(), { production: bench.production, clips: clips() });
    const renders = spawn.mock.calls.filter(([, args]) => args.includes('mov'));
    expect(renders).toHaveLength(2);
    expect(film.durationSeconds).toBeCloseTo((2 * SHORT_FRAMES + FRAMES - 2) / 24, 1);
  });

  it('is removed when the production has ended', async () => {
    await renderAhead('noon');
    const { archiveProduction } = bench.activities().media;
    await bench.run(archiveProduction, { status: { production: FILM.id } as ProductionStatus });
    expect(await keptPieces(bench.store)).toEqual([]);
  });

  it('is removed once its film is assembled', async () => {
    const rendering = createBackground();
    const done = (): Promise<void> =>
      new Promise((resolve) => {
        rendering.start(() => Promise.resolve(resolve()));
      });
    let begun = 0;
    const ahead: RenderAhead = createRenderAhead({
      store: bench.store,
      rendering,
      ffmpeg() {
        begun += 1;
        // The film is assembled while the first is under way and the second waits.
        if (begun === 1) ahead.end(FILM.id);
        return findFfmpeg();
      },
    });
    await Promise.all(['noon', 'dawn'].map((shotId) => ahead.begin(FILM, shotId, clip)));
    await done();
    expect(begun).toBe(1);
    expect(await keptPieces(bench.store)).toEqual([]);

    await ahead.begin(FILM, 'noon', clip);
    await done();
    expect(await keptPieces(bench.store)).toHaveLength(1);
  });

  it('is rendered with the film if the one rendered ahead is broken', async () => {
    await renderAhead('noon');
    const [piece] = await keptPieces(bench.store);
    await writeFile(piece!, 'no piece of a film');
    const assembled = bench.persist(assembleFilm(), { production: bench.production, clips: clips() });
    expect(await assembled).toMatchObject({ failures: ['MediaFailed'], result: { mediaType: 'video/mp4' } });
    // Another film of the production is not affected.
    expect(await keptPieces(bench.store)).toEqual([]);
  });

  it.each<readonly [string, FrozenProduction]>([
    ['there is to be no film', (({ assembly: _none, ...film }) => film)(FILM)],
    ['its picture is taken over as it is', { ...FILM, shots: FILM.shots.map((shot) => ({ ...shot, files: {} })) }],
    ['it is of no shot of the film', { ...FILM, shots: FILM.shots.filter(({ id }) => id !== 'noon') }],
  ])('is not started if %s', async (_why, film) => {
    await renderAhead('noon', film);
    expect(await keptPieces(bench.store)).toEqual([]);
  });

  it('is not started if paid outputs may need the space', async () => {
    const real = await fs.promises.statfs(bench.store.folder);
    const gibibytes = (count: number): StatsFs => Object.assign(real, { bavail: count * 1024, bsize: 1024 ** 2 });
    const statfs = jest.spyOn(fs.promises, 'statfs').mockResolvedValue(gibibytes(3));
    await renderAhead('noon');
    expect(await keptPieces(bench.store)).toEqual([]);
    statfs.mockResolvedValue(gibibytes(5));
    await renderAhead('noon');
    expect(await keptPieces(bench.store)).toHaveLength(1);
  });
});
