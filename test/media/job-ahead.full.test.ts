import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { assemble, type FilmSpec, findFfmpeg, jobAhead, pieceRecipe, renderPiece } from '../../media';
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
          extra: ['-vf', `hue=h=${index * 90},fade=in:0:48`],
        }),
      ),
    );
  });

  const chainOf = (paths: readonly string[], changes: Partial<FilmSpec> = {}): FilmSpec => {
    const film = filmOf(paths, changes);
    return { ...film, clips: film.clips.map((clip, index) => ({ ...clip, continuesPrevious: index > 0 })) };
  };

  /** By its own clip, which represents the others: the recipe, and the path of the piece. */
  async function ahead(index: number, changes: Partial<FilmSpec> = {}): Promise<readonly [string, string]> {
    const ffmpeg = await findFfmpeg();
    const job = await jobAhead(
      chainOf(
        [0, 1, 2].map(() => clips[index]!),
        changes,
      ),
      index,
    );
    if (job === undefined) throw new Error('it hangs on more than its clip');
    const path = join(await temporaryFolder(), 'ahead.part');
    await renderPiece(ffmpeg, job, path, { lowPriority: true });
    return [pieceRecipe(ffmpeg, job), path];
  }

  async function filmWith(pieces: ReadonlyMap<string, string>, changes: Partial<FilmSpec> = {}) {
    const path = join(await temporaryFolder(), 'film.mp4');
    const linked: string[] = [];
    const linkPiece = async (recipe: string, to: string): Promise<boolean> => {
      const piece = pieces.get(recipe);
      if (piece === undefined) return false;
      await link(piece, to);
      linked.push(piece);
      return true;
    };
    await assemble(await findFfmpeg(), chainOf(clips, changes), path, { linkPiece });
    return { linked, colors: await frameColors(path), sound: await samples(path) };
  }

  /**
   * Not bit for bit: with several threads the encoder may encode the end of the same clip differently. The brightness
   * step between two frames is larger than the tolerance here.
   */
  function expectAlike(colors: readonly (readonly number[])[], others: readonly (readonly number[])[]): void {
    expect(colors).toHaveLength(others.length);
    colors.forEach((color, frame) => {
      color.forEach((level, channel) => expect(Math.abs(level - others[frame]![channel]!)).toBeLessThanOrEqual(1));
    });
  }

  it.each<readonly [string, Partial<FilmSpec>, readonly number[]]>([
    ['', {}, [0, 1, 2]],
    [' at another rate', { output: { frameRate: 25 } }, [0, 1, 2]],
    [' in another size', { output: { height: 90 } }, [0, 1, 2]],
    [' behind a title', { title: { text: 'Dawn', seconds: 1 } }, [1, 2]],
  ])('is the same piece that the film is made of%s', async (_how, changes, indexes) => {
    const pieces = new Map(await Promise.all(indexes.map((index) => ahead(index, changes))));
    const film = await filmWith(pieces, changes);
    expect(film.linked.toSorted()).toEqual([...pieces.values()].toSorted());
    const { colors, sound } = await filmWith(new Map(), changes);
    expectAlike(film.colors, colors);
    expect(film.sound).toEqual(sound);
  });

  it('is not rendered with the film', async () => {
    const [first, second] = [await ahead(0), await ahead(1)];
    // One replaces the other, so that the film shows it.
    const { colors } = await filmWith(new Map([first, [second[0], first[1]]]));
    expectAlike(colors.slice(47, 94), colors.slice(0, 47));
  });

  it('differs for another build of ffmpeg, and is the same for any path of its clip', async () => {
    const ffmpeg = await findFfmpeg();
    const job = (await jobAhead(chainOf(clips), 1))!;
    const elsewhere = {
      ...job,
      piece: { ...job.piece, source: { ...job.piece.source, path: '/elsewhere/clip-1.mp4' } },
    };
    expect(pieceRecipe(ffmpeg, elsewhere)).toBe(pieceRecipe(ffmpeg, job));
    expect(pieceRecipe({ ...ffmpeg, build: `${ffmpeg.build} -O3` }, job)).not.toBe(pieceRecipe(ffmpeg, job));
  });

  it.each<readonly [string, () => FilmSpec, number]>([
    ['a title is drawn over it', () => chainOf(clips, { title: { text: 'Dawn', seconds: 1 } }), 0],
    [
      'captions are drawn over it',
      () => {
        const film = chainOf(clips, { captions: 'burnt' });
        return { ...film, clips: film.clips.map((clip, index) => (index === 1 ? { ...clip, caption: 'Dawn' } : clip)) };
      },
      1,
    ],
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
  ])('has no recipe if %s', async (_why, film, index) => {
    expect(await jobAhead(film(), index)).toBeUndefined();
  });
});
