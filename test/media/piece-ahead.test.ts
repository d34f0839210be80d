import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assemble, type FilmSpec, findFfmpeg, pieceAhead, pieceRecipe, renderPiece } from '../../media';
import { temporaryFolder } from '../support/temporary-folder';
import { filmOf, frameColors, makeClip, samples } from './fixtures';

describe('a piece that is rendered ahead of its film', () => {
  let folder: string;
  let clips: readonly string[];

  beforeAll(async () => {
    folder = await temporaryFolder();
    clips = await Promise.all(
      [0, 1, 2].map((index) =>
        makeClip(join(folder, `clip-${index}.mp4`), {
          frames: 48,
          soundSeconds: 2,
          sound: `sine=f=${300 + 200 * index}:r=48000`,
          extra: ['-vf', `hue=h=${index * 90}`],
        }),
      ),
    );
  });

  const chainOf = (paths: readonly string[], changes: Partial<FilmSpec> = {}): FilmSpec => {
    const film = filmOf(paths, changes);
    return { ...film, clips: film.clips.map((clip, index) => ({ ...clip, continuesPrevious: index > 0 })) };
  };

  /** By its own clip, which stands for the others: the recipe, and where the piece is. */
  async function ahead(index: number, changes: Partial<FilmSpec> = {}): Promise<readonly [string, string]> {
    const ffmpeg = await findFfmpeg();
    const job = await pieceAhead(
      chainOf(
        [0, 1, 2].map(() => clips[index]!),
        changes,
      ),
      index,
    );
    if (job === undefined) throw new Error('it hangs on more than its clip');
    const path = join(await temporaryFolder(), 'ahead.part');
    await renderPiece(ffmpeg, job, path, {});
    return [pieceRecipe(ffmpeg, job), path];
  }

  async function filmWith(pieces: ReadonlyMap<string, string>, changes: Partial<FilmSpec> = {}) {
    const path = join(await temporaryFolder(), 'film.mp4');
    const found: string[] = [];
    const findPiece = (recipe: string): Promise<string | undefined> => {
      const piece = pieces.get(recipe);
      if (piece !== undefined) found.push(piece);
      return Promise.resolve(piece);
    };
    await assemble(await findFfmpeg(), chainOf(clips, changes), path, { findPiece });
    return { found, colors: await frameColors(path), sound: await samples(path) };
  }

  /** Not to the bit: run by many threads, the encoder ends one and the same clip in more than one way. */
  function expectAlike(colors: readonly (readonly number[])[], others: readonly (readonly number[])[]): void {
    expect(colors).toHaveLength(others.length);
    colors.forEach((color, frame) => {
      color.forEach((level, channel) => expect(Math.abs(level - others[frame]![channel]!)).toBeLessThanOrEqual(2));
    });
  }

  it.each<readonly [string, Partial<FilmSpec>, readonly number[]]>([
    ['', {}, [0, 1, 2]],
    [' at another rate', { output: { frameRate: 25 } }, [0, 1, 2]],
    [' in another size', { output: { height: 90 } }, [0, 1, 2]],
    [' behind a title', { title: { text: 'Dawn', seconds: 1 } }, [1, 2]],
  ])('is the very piece that the film is made of%s', async (_how, changes, indexes) => {
    const pieces = new Map(await Promise.all(indexes.map((index) => ahead(index, changes))));
    const film = await filmWith(pieces, changes);
    expect(film.found.toSorted()).toEqual([...pieces.values()].toSorted());
    const { colors, sound } = await filmWith(new Map(), changes);
    expectAlike(film.colors, colors);
    expect(film.sound).toEqual(sound);
  });

  it('is not rendered with the film', async () => {
    const [first, second] = [await ahead(0), await ahead(1)];
    // One stands in for the other, which shows.
    const { colors } = await filmWith(new Map([first, [second[0], first[1]]]));
    expectAlike(colors.slice(47, 94), colors.slice(0, 47));
  });

  it.each<readonly [string, (path: string) => Promise<unknown>]>([
    [
      'another ffmpeg has made',
      (path) => {
        const profile = ['-c:v', 'libx264', '-profile:v', 'baseline', '-f', 'mov'];
        return makeClip(path, { frames: 47, soundSeconds: 2, extra: profile });
      },
    ],
    ['cannot be read', (path) => writeFile(path, Buffer.alloc(10_000))],
  ])('is rendered with the film where what is found %s', async (_what, make) => {
    const [recipe] = await ahead(1);
    const other = join(await temporaryFolder(), 'other.part');
    await make(other);
    const film = await filmWith(new Map([[recipe, other]]));
    expect(film.found).toEqual([other]);
    expectAlike(film.colors, (await filmWith(new Map())).colors);
  });

  it.each<readonly [string, () => FilmSpec, number]>([
    ['a title is drawn over it', () => chainOf(clips, { title: { text: 'Dawn', seconds: 1 } }), 0],
    ['frames and samples do not go evenly', () => chainOf(clips, { output: { frameRate: 29.97 } }), 1],
    [
      'the next clip fades in',
      () => {
        const film = chainOf(clips, { transition: { kind: 'crossfade', seconds: 0.5 } });
        return { ...film, clips: film.clips.map((clip, index) => ({ ...clip, continuesPrevious: index === 1 })) };
      },
      1,
    ],
    ['it is of no chain', () => filmOf(clips), 1],
  ])('is not told where %s', async (_why, film, index) => {
    expect(await pieceAhead(film(), index)).toBeUndefined();
  });
});
