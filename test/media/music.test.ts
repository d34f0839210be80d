import { type FilmCue } from '../../media';
import { type FilmPlan } from '../../media/film-plan';
import { cuesOf, mixMusic, type MusicInput, placeCue } from '../../media/music';
import { filmOf } from './fixtures';

/** Two shots of a film of 10 s, the second seen from 4 s on. */
const PLAN = {
  format: { width: 320, height: 180, frameRate: { numerator: 24, denominator: 1 } },
  pieces: [{ shotFrame: 0 }, { shotFrame: 96 }],
  frames: 240,
} as unknown as FilmPlan;
const FILM = filmOf(['a', 'b']);

const placed = (cue: Omit<FilmCue, 'path' | 'volumeDb'>, musicSeconds: number) =>
  placeCue({ path: 'song.mp3', volumeDb: -6, ...cue }, musicSeconds, FILM, PLAN);

describe('a cue in its film', () => {
  it.each<[string, Omit<FilmCue, 'path' | 'volumeDb'>, number, readonly number[]]>([
    ['plays once, and ends as the file does', { from: 1 }, 3, [1, 4, 1, 0, 0]],
    ['ends with the film, and fades out', { from: 8.5 }, 30, [8.5, 10, 1, 0, 0.75]],
    ['repeats until it is to end, and fades out', { from: 1, to: 9 }, 3, [1, 9, 3, 0, 2]],
    ['lies under a shot', { from: { startOf: 'shot-2' }, to: { endOf: 'shot-2' } }, 60, [4, 10, 1, 0, 2]],
    ['ends where a shot begins', { from: { startOf: 'shot-1' }, to: { startOf: 'shot-2' } }, 60, [0, 4, 1, 0, 2]],
    ['fades as it is told', { from: 0, to: 8, fadeInSeconds: 3, fadeOutSeconds: 0 }, 60, [0, 8, 1, 3, 0]],
    [
      'fades no longer than it lasts',
      { from: 8, to: 99, fadeInSeconds: 3, fadeOutSeconds: 1 },
      60,
      [8, 10, 1, 1.5, 0.5],
    ],
  ])('%s', (_what, cue, seconds, [startSeconds, endSeconds, times, fadeInSeconds, fadeOutSeconds]) => {
    const expected = { startSeconds, endSeconds, times, fadeInSeconds, fadeOutSeconds, volumeDb: -6 };
    expect(placed(cue, seconds)).toEqual(expected);
  });

  it.each<[string, Omit<FilmCue, 'path' | 'volumeDb'>]>([
    ['past the end of the film', { from: 10 }],
    ['of no length', { from: { startOf: 'shot-2' }, to: { endOf: 'shot-1' } }],
  ])('is not heard %s', (_what, cue) => {
    expect(placed(cue, 3)).toBeUndefined();
  });

  it('fills the film if it has no place', () => {
    const [cue] = cuesOf({ music: { path: 'song.mp3', volumeDb: -6 } }, PLAN);
    expect(placeCue(cue!, 3, FILM, PLAN)).toMatchObject({
      startSeconds: 0,
      endSeconds: 10,
      times: 4,
      fadeOutSeconds: 2,
    });
  });
});

describe('the mix', () => {
  const input = (cue: Partial<MusicInput>): MusicInput =>
    ({
      ...{ list: 'list.txt', info: { mediaType: 'audio/mpeg' }, volumeDb: 0, times: 1 },
      ...{ startSeconds: 0, endSeconds: 10, fadeInSeconds: 0, fadeOutSeconds: 0, ...cue },
    }) as unknown as MusicInput;
  const graphOf = (...cues: readonly MusicInput[]): readonly string[] => {
    let inputs = 1;
    return mixMusic(cues, 10, () => ++inputs)[1]!.split(';');
  };

  it('compensates for the division by amix, however many cues there are', () => {
    const graph = graphOf(input({}), input({}), input({}));
    expect(graph[4]).toMatch(/^\[cue0\]\[cue1\]\[cue2\]amix=inputs=3:.*,volume=3\[music\]$/);
    expect(graph.at(-1)).toMatch(/^\[own\]\[bed\]amix=inputs=2:.*,volume=2,alimiter/);
    expect(graphOf(input({}))[2]).toBe('[cue0]anull[music]');
  });

  it('makes every cue as long as the film, at its place', () => {
    const [, cue] = graphOf(input({ startSeconds: 2.5, endSeconds: 4, fadeInSeconds: 1, fadeOutSeconds: 0.5 }));
    expect(cue).toMatch(
      /^\[2:a:0\].*,apad,atrim=end=1\.5,afade=t=in:st=0:d=1,afade=t=out:st=1:d=0\.5,adelay=2500\|2500,apad,atrim=end=10\[cue0\]$/,
    );
  });
});
