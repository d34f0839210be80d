import { type FilmSpec } from '../../media';
import { planFilm, type Source } from '../../media/film-plan';
import { filmOf } from './fixtures';

const RATE = 24;

/** Clips of so many frames each, as the probe would describe them. */
const clipsOf = (...frames: readonly number[]): readonly Source[] =>
  frames.map((count, index) => ({
    path: `${index}.mp4`,
    info: { width: 320, height: 180, frameRate: RATE, videoDurationSeconds: count / RATE },
  })) as unknown as readonly Source[];

const CROSSFADE = { kind: 'crossfade', seconds: 0.5 } as const;
const CUT = { kind: 'cut' } as const;

/** A film of three clips; `own` are the transitions of single clips. */
const spec = (film: FilmSpec['transition'], own: Readonly<Record<number, FilmSpec['transition']>>): FilmSpec => {
  const { clips, ...rest } = filmOf(['0', '1', '2'], { transition: film });
  return {
    ...rest,
    clips: clips.map((clip, index) => ({ ...clip, ...(own[index] && { transition: own[index] }) })),
  };
};

describe('the plan of a film', () => {
  it.each<[string, FilmSpec, readonly number[]]>([
    ['the film’s crossfade at every joint', spec(CROSSFADE, {}), [12, 12, 0]],
    ['a cut in a film of crossfades', spec(CROSSFADE, { 1: CUT }), [0, 12, 0]],
    ['a crossfade in a film of cuts', spec(CUT, { 2: CROSSFADE }), [0, 12, 0]],
    ['a crossfade of its own length', spec(CROSSFADE, { 2: { kind: 'crossfade', seconds: 0.25 } }), [12, 6, 0]],
    ['no more than half of the shorter clip', spec(CUT, { 1: { kind: 'crossfade', seconds: 9 } }), [18, 0, 0]],
    ['nothing before the first clip', spec(CUT, { 0: CROSSFADE }), [0, 0, 0]],
  ])('has %s, and is shorter by exactly that', (_what, film, fades) => {
    const plan = planFilm(film, clipsOf(36, 48, 48));
    expect(plan.pieces.map(({ fadeFrames }) => fadeFrames)).toEqual(fades);
    expect(plan.frames).toBe(36 + 48 + 48 - fades.reduce((sum, frames) => sum + frames, 0));
  });

  it('cuts to a clip that continues the one before, whatever is requested', () => {
    const { clips, ...rest } = spec(CUT, { 1: CROSSFADE });
    const film = { ...rest, clips: clips.map((clip, index) => ({ ...clip, continuesPrevious: index === 1 })) };
    expect(planFilm(film, clipsOf(36, 48, 48)).frames).toBe(35 + 48 + 48);
  });
});
