import { type FilmPoint } from '../../../contracts/render/frozen';
import { musicInFilm } from '../../../store/production/film-music';
import { asset } from '../../plan/simulated-render';

const SONG = { asset: asset('song', 'audio/mp4'), volumeDb: -8 };
const SHOTS = ['a', 'b', 'c', 'd'];

describe('the music of a film in which shots are left out', () => {
  it.each<[string, readonly string[], FilmPoint, FilmPoint]>([
    ['as it is, where its shot is there', SHOTS, { startOf: 'b' }, { startOf: 'b' }],
    ['as it is, in seconds', ['a'], 7, 7],
    ['with the next shot', ['a', 'c', 'd'], { startOf: 'b' }, { startOf: 'c' }],
    ['with the end of the film', ['a', 'b'], { startOf: 'c' }, { endOf: 'b' }],
    ['with the end of the shot before', ['a', 'd'], { endOf: 'c' }, { endOf: 'a' }],
    ['with the beginning of the film', ['c', 'd'], { endOf: 'b' }, { startOf: 'c' }],
  ])('begins or ends %s', (_what, inFilm, point, placed) => {
    expect(musicInFilm([{ ...SONG, from: point, to: point }], SHOTS, inFilm)).toEqual([
      { ...SONG, from: placed, to: placed },
    ]);
  });

  it('is unchanged if it has no place', () => {
    expect(musicInFilm(SONG, SHOTS, ['d'])).toBe(SONG);
    expect(musicInFilm(undefined, SHOTS, ['d'])).toBeUndefined();
  });
});
