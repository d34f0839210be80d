import { type FilmPoint, type FrozenAssembly } from '../../contracts/render/frozen';

/**
 * Adapts the music to a film that lacks some shots. A cue point at the start of a missing shot moves to the start of
 * the next shot in the film, or to the film's end. A cue point at the end of a missing shot moves to the end of the
 * previous shot in the film, or to the film's start.
 *
 * @param shots all shots of the production, in order.
 * @param inFilm the shots in the film, in the same order.
 */
export function musicInFilm(
  music: FrozenAssembly['music'],
  shots: readonly string[],
  inFilm: readonly string[],
): FrozenAssembly['music'] {
  if (!Array.isArray(music)) return music;
  return music.map(({ to, ...cue }) => ({
    ...cue,
    from: pointInFilm(cue.from, shots, inFilm),
    ...(to === undefined ? {} : { to: pointInFilm(to, shots, inFilm) }),
  }));
}

function pointInFilm(point: FilmPoint, shots: readonly string[], inFilm: readonly string[]): FilmPoint {
  if (typeof point === 'number') return point;
  const isStart = 'startOf' in point;
  const shot = isStart ? point.startOf : point.endOf;
  const [first, last] = [inFilm[0], inFilm.at(-1)];
  if (inFilm.includes(shot) || first === undefined || last === undefined) return point;
  const index = shots.indexOf(shot);
  const after = inFilm.find((one) => shots.indexOf(one) > index);
  const before = inFilm.findLast((one) => shots.indexOf(one) < index);
  if (isStart) return after === undefined ? { endOf: last } : { startOf: after };
  return before === undefined ? { startOf: first } : { endOf: before };
}
