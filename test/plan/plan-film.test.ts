import { currentFilm, plannedFilm, areClipsKnown, planFilm } from '../../client/plan/plan-film';
import { planShots } from '../../client/plan/plan-shots';
import { type FilmPlan } from '../../contracts/render/render-plan';
import { type FrozenProduction, type FrozenShot } from '../../contracts/render/frozen';
import { betaShot, film, linkedShot } from '../support/rig';
import { asset, inputAfter, type Rendered, simulateRender } from './simulated-render';
import { filmHash } from '../../store';

const FILM: FrozenProduction = {
  ...film('film', [betaShot('one', { caption: 'It begins.' }), linkedShot('two', 'one'), betaShot('three')]),
  assembly: {
    transition: { kind: 'crossfade', seconds: 0.5 },
    music: { asset: asset('song', 'audio/mp4'), volumeDb: -8 },
    title: { text: 'Film', seconds: 3 },
    subtitles: true,
  },
  output: { file: 'film.mp4', width: 854, height: 480 },
};
const ASSEMBLY = FILM.assembly!;

const withShot = (id: string, changes: Partial<FrozenShot>): FrozenProduction => ({
  ...FILM,
  shots: FILM.shots.map((shot) => (shot.id === id ? { ...shot, ...changes } : shot)),
});

describe('the plan of the film', () => {
  let rendered: Rendered;
  beforeAll(async () => {
    rendered = await simulateRender(FILM);
  });

  function planOf(production: FrozenProduction, before: FrozenProduction = FILM): FilmPlan {
    const wanted = plannedFilm(production, planShots(inputAfter(production, rendered)), rendered.takes);
    const was = currentFilm(before, rendered.status);
    const isThere = wanted !== undefined && was !== undefined && filmHash(wanted) === filmHash(was);
    return planFilm(wanted, isThere, was);
  }

  it('reuses the film of a production that has not changed', () => {
    expect(planOf(FILM)).toEqual({ action: 'reused', because: [] });
  });

  it.each<[string, FrozenProduction, FilmPlan['because']]>([
    ['the title', { ...FILM, title: 'Another' }, ['title']],
    ['the shown title', { ...FILM, assembly: { ...ASSEMBLY, title: { text: 'x', seconds: 3 } } }, ['title']],
    ['the transition', { ...FILM, assembly: { ...ASSEMBLY, transition: { kind: 'cut' } } }, ['transition']],
    [
      'the bytes of the music',
      { ...FILM, assembly: { ...ASSEMBLY, music: { asset: asset('other', 'audio/mp4'), volumeDb: -8 } } },
      ['music'],
    ],
    [
      'the place of the music',
      { ...FILM, assembly: { ...ASSEMBLY, music: [{ asset: asset('song', 'audio/mp4'), volumeDb: -8, from: 1 }] } },
      ['music'],
    ],
    ['subtitles', { ...FILM, assembly: { ...ASSEMBLY, subtitles: false } }, ['subtitles']],
    ['the size', { ...FILM, output: { ...FILM.output!, width: 1280, height: 720 } }, ['output']],
    ['a caption', withShot('one', { caption: 'Anew.' }), ['captions']],
    ['a caption’s times', withShot('one', { caption: [{ text: 'It begins.', from: 0, to: 2 }] }), ['captions']],
    ['how captions are shown', { ...FILM, assembly: { ...ASSEMBLY, captions: 'burnt' } }, ['captions']],
    ['their language', { ...FILM, assembly: { ...ASSEMBLY, subtitlesLanguage: 'de' } }, ['subtitles']],
    ['the transition of a joint', withShot('three', { transition: { kind: 'cut' } }), ['transition']],
    ['the order', { ...FILM, shots: [FILM.shots[2]!, FILM.shots[0]!, FILM.shots[1]!] }, ['clips']],
    ['what shots there are', { ...FILM, shots: FILM.shots.slice(0, 2) }, ['clips']],
  ])('assembles it again if %s changed, and pays for nothing', (_what, production, because) => {
    expect(planOf(production)).toEqual({ action: 'anew', because });
    expect(planShots(inputAfter(production, rendered)).map(({ action }) => action)).toEqual(
      production.shots.map(() => 'reused'),
    );
  });

  it.each<[string, FrozenProduction]>([
    ['before the first shot', withShot('one', { transition: { kind: 'cut' } })],
    ['into a shot that goes on from the one before', withShot('two', { transition: { kind: 'cut' } })],
    ['that says what the film’s says', withShot('three', { transition: { kind: 'crossfade', seconds: 0.5 } })],
  ])('ignores a transition %s', (_where, production) => {
    expect(planOf(production)).toEqual({ action: 'reused', because: [] });
  });

  it('ignores the name of its file', () => {
    expect(planOf({ ...FILM, output: { ...FILM.output!, file: 'other.mp4' } })).toEqual({
      action: 'reused',
      because: [],
    });
  });

  it('has clips to come if a shot is to be rendered', () => {
    const production = {
      ...FILM,
      shots: FILM.shots.map((shot) =>
        shot.id === 'three' ? betaShot('three', { parameters: { prompt: 'x' } }) : shot,
      ),
    };
    const wanted = plannedFilm(production, planShots(inputAfter(production, rendered)), rendered.takes);
    expect(areClipsKnown(wanted!)).toBe(false);
    expect(planOf(production)).toEqual({ action: 'anew', because: ['clips'] });
  });

  it('says if there was no film, if it is lost, or if there is nothing to assemble', () => {
    const wanted = plannedFilm(FILM, planShots(inputAfter(FILM, rendered)), rendered.takes);
    expect(planFilm(wanted, false, undefined)).toEqual({ action: 'anew', because: ['none'] });
    expect(planFilm(wanted, false, wanted)).toEqual({ action: 'anew', because: ['lost'] });
    const { id, title, shots, version } = FILM;
    expect(planOf({ id, title, shots, version })).toEqual({ action: 'none', because: [] });
  });
});
